// Answers that a reader could look through again from each of their characters: these are read once.
import { expect, it } from 'vitest';
import { type ModelEntry, modelEntriesOf } from './entries.ts';
import { read } from './reading.ts';
import { placeOf } from './request.ts';

const entry = modelEntriesOf({ any: { url: 'http://localhost/v1', model: 'm' } }).get('any') as ModelEntry;

function answered(body: string): unknown {
  return read(
    placeOf(entry),
    { status: 200, headers: {}, body: Buffer.from(body) } as Parameters<typeof read>[1],
    null,
    0,
  );
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
