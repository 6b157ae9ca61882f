// Answers that a reader could look through again from each of their characters: these are read once.
import { describe, expect, it } from 'vitest';
import { type ModelEntry, modelEntriesOf } from './entries.ts';
import { read } from './reading.ts';
import { placeOf } from './request.ts';

const entry = modelEntriesOf({ any: { url: 'http://localhost/v1', model: 'm' } }).get('any') as ModelEntry;

function answered(body: string, status = 200): unknown {
  return read(placeOf(entry), { status, headers: {}, body: Buffer.from(body) } as Parameters<typeof read>[1], null, 0);
}

it.each([
  ['quotes of a text without an end', `{${'\\"'.repeat(1_000_000)}`],
  ['a text that ends in a backslash', `{"${'\\"'.repeat(1_000_000)}\\`],
  ['quotes alone', '"'.repeat(1_000_001)],
  ['words that are nearly numbers', `{${'-Infinit'.repeat(200_000)}`],
])('%s', (_, body) => {
  expect(() => answered(body)).toThrow();
});

it('a number that JSON does not have is read as null, and its name in a text stays', () => {
  const body = '{"choices": [{"message": {"content": "NaN \\" -Infinity"}, "logprobs": NaN}]}';
  expect(answered(body)).toMatchObject({ answer: 'NaN " -Infinity' });
});

describe('what is nested very deeply', () => {
  const nested = (depth: number, open: string, inner: string, close: string): string =>
    open.repeat(depth) + inner + close.repeat(depth);

  it('in the parameters of a found entry is a fault of its file', () => {
    const parameters: unknown = JSON.parse(`{"x": ${nested(50_000, '{"a":', '1', '}')}}`);
    const entries = { any: { url: 'http://localhost/v1', model: 'm', parameters } };
    expect(() => modelEntriesOf(entries)).toThrow('models.any.parameters: found nesting deeper than');
  });

  it('in thoughts is passed over', () => {
    const thinking = nested(50_000, '[{"type":"thinking","thinking":', '"hm"', '}]');
    const body = `{"choices": [{"message": {"content": [{"type":"thinking","thinking":${thinking}},{"type":"text","text":"RRD"}]}}]}`;
    expect(answered(body)).toMatchObject({ answer: 'RRD' });
  });

  it('in the details of a refusal is a refusal', () => {
    const body = `{"detail": ${nested(30_000, '[', '', ']')}}`;
    expect(() => answered(body, 422)).toThrow('it cannot do this (status 422');
  });
});

describe('a code of a refusal that is no word', () => {
  it.each(['{"toString": 1, "valueOf": 2}', '{"__proto__": null}', '[[[]]]', 'true', '{"toString": {}}'])(
    '%s',
    (code) => {
      for (const status of [200, 429]) {
        const body = `{"error": {"message": "no", "code": ${code}, "type": ${code}}}`;
        expect(() => answered(body, status)).toThrow(`: no`);
      }
    },
  );
});
