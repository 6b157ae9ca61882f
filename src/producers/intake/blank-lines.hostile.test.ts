// Blank lines in any number and at any place cost one look per byte and change nothing: later lines are read and
// numbered correctly.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Piece, pieces } from './pieces.ts';

const limit = 1000;

async function* inChunks(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function read(source: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: Piece[] = [];
  for await (const some of pieces(source, limit)) found.push(...some);
  return found.map(({ line, bytes }) => `${line}: ${bytes.toString().trim()}`);
}

describe('blank lines', () => {
  it('are counted and skipped, for any chunking', async () => {
    const line = fc.constantFrom('', '', '\r', '  \t', '{"a":1}', '  {"b":2} ', 'x', '\t\r');
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), async (lines, bytes) => {
        const expected = lines.flatMap((text, i) => (text.trim() === '' ? [] : [`${i + 1}: ${text.trim()}`]));
        expect(await read(inChunks(lines.join('\n'), bytes))).toEqual(expected);
      }),
    );
  });

  it('before a list are counted too', async () => {
    const text = `${'\n'.repeat(300)}[\n{"a":1},\n\n{"b":2}]`;
    for (const bytes of [1, 7, 1000])
      expect(await read(inChunks(text, bytes))).toEqual(['302: {"a":1}', '304: {"b":2}']);
  });

  it('of a hundred million bytes are not kept in memory', async () => {
    const blank = Buffer.alloc(65_536, '\n');
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 1600; i++) yield blank;
      yield Buffer.from('{"a":1}\n');
      for (let i = 0; i < 100; i++) yield blank;
    }
    expect(await read(source())).toEqual([`${1600 * 65_536 + 1}: {"a":1}`]);
  });
});
