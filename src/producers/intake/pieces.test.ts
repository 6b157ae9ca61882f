import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Piece, pieces } from './pieces.ts';
import { collectAll, inChunks } from './testing/chunks.ts';

const limit = 10_000;

async function cut(input: string | Uint8Array, chunk = 7, longest = limit): Promise<Piece[]> {
  return await collectAll(pieces(inChunks(input, chunk), longest));
}

async function texts(input: string | Uint8Array, chunk?: number): Promise<string[]> {
  return (await cut(input, chunk)).map(({ bytes }) => bytes.toString());
}

describe('an input with one event per line', () => {
  it('is split at its line breaks, of Unix and of Windows', async () => {
    expect(await texts('{"a":1}\n{"b":2}\r\n{"c":3}')).toEqual(['{"a":1}', '{"b":2}\r', '{"c":3}']);
  });

  it('may start with a byte order mark', async () => {
    expect(await texts('\ufeff{"a":1}\n{"b":2}\n')).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('may have blank lines, which count', async () => {
    const found = await cut('\n  \n{"a":1}\n\r\n{"b":2}\n\n');
    expect(found.map(({ line }) => line)).toEqual([3, 5]);
  });

  it('may be empty', async () => {
    expect(await cut('')).toEqual([]);
    expect(await cut('\n\n')).toEqual([]);
  });

  it('marks a last line without a line break', async () => {
    const found = await cut('{"a":1}\n{"b":');
    expect(found.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  });

  it('does not keep a line beyond the limit, and continues after it', async () => {
    const long = `{"a":"${'x'.repeat(100_000)}"}`;
    const [before, tooLong, after] = await cut(`{}\n${long}\n{"b":2}\n`, 1000);
    expect(before).toMatchObject({ line: 1, isTooLong: false });
    expect(tooLong).toMatchObject({ line: 2, isTooLong: true, size: long.length });
    expect(tooLong?.bytes.length).toBe(4096);
    expect(after).toMatchObject({ line: 3, isTooLong: false });
  });

  it('is the same for any chunking', async () => {
    const line = fc.string({ maxLength: 20 }).map((text) => JSON.stringify({ text }));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.integer({ min: 1, max: 40 }), async (given, chunk) => {
        expect(await texts(given.join('\n'), chunk)).toEqual(given);
      }),
    );
  });
});

describe('an input that is a JSON document', () => {
  const events = [{ a: 1, b: { c: ['}', '"', '\\'] } }, { d: '[{' }, { e: [] }];

  it('is split at the elements of its list', async () => {
    expect((await texts(JSON.stringify(events))).map((text) => JSON.parse(text))).toEqual(events);
  });

  it('is also split if it or its objects span several lines', async () => {
    for (const document of [
      JSON.stringify(events, null, 2),
      events.map((one) => JSON.stringify(one, null, 2)).join('\n'),
    ]) {
      expect((await texts(document)).map((text) => JSON.parse(text))).toEqual(events);
    }
  });

  it('has the start line of each object', async () => {
    const found = await cut(JSON.stringify(events, null, 2));
    expect(found.map(({ line }) => line)).toEqual([2, 12, 15]);
  });

  it('yields anything between objects as a piece, to be refused', async () => {
    expect(await texts('[{"a":1}, 5, {"b":2}]')).toEqual(['{"a":1}', '5', '{"b":2}']);
    expect(await texts('[{"a":1}] x\n')).toEqual(['{"a":1}', 'x']);
  });

  it('that is incomplete ends with a piece marked as incomplete', async () => {
    for (const broken of ['[{"a":1},', '[{"a":1}, {"b":', '{\n "a": 1,\n']) {
      expect((await cut(broken)).at(-1)?.isEnded).toBe(false);
    }
  });

  it('does not keep an object beyond the limit', async () => {
    const [long, after] = await cut(JSON.stringify([{ a: 'x'.repeat(100_000) }, { b: 2 }]), 1000);
    expect(long).toMatchObject({ isTooLong: true });
    expect(long?.bytes.length).toBe(4096);
    expect(after?.bytes.toString()).toBe('{"b":2}');
  });

  it('is the same for any chunking', async () => {
    const object = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }));
    await fc.assert(
      fc.asyncProperty(fc.array(object, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (given, chunk) => {
        const found = await texts(JSON.stringify(given, null, 1), chunk);
        expect(found.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});
