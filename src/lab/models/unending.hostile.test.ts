// Answers that could make a parser quadratic.
import { describe, expect, it } from 'vitest';
import { type ModelEntry, modelEntriesOf } from './entries.ts';
import { read } from './reading.ts';
import { placeOf } from './request.ts';

const entry = modelEntriesOf({ any: { url: 'http://localhost/v1', model: 'm' } }).get('any') as ModelEntry;

function answered(body: string, status = 200): unknown {
  return read(placeOf(entry), { status, headers: {}, body: Buffer.from(body) } as Parameters<typeof read>[1], null, 0);
}

it.each([
  ['a text with many quotes and no end', `{${'\\"'.repeat(1_000_000)}`],
  ['a text that ends in a backslash', `{"${'\\"'.repeat(1_000_000)}\\`],
  ['quotes alone', '"'.repeat(1_000_001)],
  ['words that look like numbers', `{${'-Infinit'.repeat(200_000)}`],
])('a malformed response is refused: %s', (_, body) => {
  expect(() => answered(body)).toThrow();
});

it('numbers that JSON lacks are read as null, and their names within strings stay', () => {
  const body = '{"choices": [{"message": {"content": "NaN \\" -Infinity"}, "logprobs": NaN}]}';
  expect(answered(body)).toMatchObject({ answer: 'NaN " -Infinity' });
});

describe('deep nesting', () => {
  const nested = (depth: number, open: string, inner: string, close: string): string =>
    open.repeat(depth) + inner + close.repeat(depth);

  it('in the parameters of a configured model is an issue of its file', () => {
    const parameters: unknown = JSON.parse(`{"x": ${nested(50_000, '{"a":', '1', '}')}}`);
    const entries = { any: { url: 'http://localhost/v1', model: 'm', parameters } };
    expect(() => modelEntriesOf(entries)).toThrow('models.any.parameters: found nesting deeper than');
  });

  it('in reasoning is skipped', () => {
    const thinking = nested(50_000, '[{"type":"thinking","thinking":', '"hm"', '}]');
    const body = `{"choices": [{"message": {"content": [{"type":"thinking","thinking":${thinking}},{"type":"text","text":"RRD"}]}}]}`;
    expect(answered(body)).toMatchObject({ answer: 'RRD' });
  });

  it('in the details of an error response still gives its status', () => {
    const body = `{"detail": ${nested(30_000, '[', '', ']')}}`;
    expect(() => answered(body, 422)).toThrow('it cannot do this (status 422');
  });
});

describe('an error code that is not a text', () => {
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
