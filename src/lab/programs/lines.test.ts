import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LastWords } from './child.ts';
import { Lines, UnreadableLine, unrecordableIn } from './lines.ts';

/** The bytes split at some places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

const text = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ' '));

describe('lines', () => {
  it('are the same for any chunking', () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const splitter = new Lines(10_000);
        const read = cut(bytes, places).flatMap((chunk) => [...splitter.take(chunk)]);
        expect(read).toEqual(lines.filter((line) => line.trim() !== ''));
      }),
    );
  });

  it('may be as long as allowed and no longer, for any chunking', () => {
    fc.assert(
      fc.property(fc.nat({ max: 30 }), fc.array(fc.nat()), (length, places) => {
        const splitter = new Lines(20);
        const read = (): string[] =>
          cut(Buffer.from(`${'x'.repeat(length + 1)}\n`), places).flatMap((chunk) => [...splitter.take(chunk)]);
        if (length + 1 <= 20) expect(read()).toEqual(['x'.repeat(length + 1)]);
        else expect(read).toThrow(UnreadableLine);
      }),
    );
  });

  it('with invalid UTF-8 are refused, after the lines before them', () => {
    const lines = new Lines(100).take(Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
    expect(lines.next().value).toBe('a');
    expect(() => lines.next()).toThrow('bytes that are not UTF-8');
  });
});

describe('mended lines', () => {
  it('are truncated, and invalid bytes are marked, for any chunking', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 30 })), fc.array(fc.nat()), (lengths, places) => {
        const lines = lengths.map((length) => 'x'.repeat(length + 1));
        const splitter = new Lines(20, 'mended');
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const read = cut(bytes, places).flatMap((chunk) => [...splitter.take(chunk)]);
        expect(read).toEqual(lines.map((line) => line.slice(0, 20)));
      }),
    );
    expect([...new Lines(20, 'mended').take(Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a]))]).toEqual(['a\ufffd', 'b']);
  });

  it('include a last line without a line end', () => {
    const splitter = new Lines(20);
    expect([...splitter.take(Buffer.from('whole\nbegun'))]).toEqual(['whole']);
    expect([...splitter.rest()]).toEqual(['begun']);
    expect([...splitter.rest()]).toEqual([]);
  });
});

describe('last words', () => {
  it('are the last twenty lines, for any chunking', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', ' c') })),
        fc.array(fc.nat()),
        (lines, places) => {
          const words = new LastWords();
          for (const piece of cut(Buffer.from(lines.join('\n')), places)) words.hear(piece.toString('latin1'));
          expect(words.lines()).toEqual(lines.slice(-20));
        },
      ),
    );
  });

  it('are limited in length and free of control characters', () => {
    const words = new LastWords();
    words.hear(`\u001b[31mred\u001b[0m\r\n\u0007\n${'x'.repeat(1e6)}`);
    for (let i = 0; i < 100; i++) words.hear('y'.repeat(1000));
    const [first, second, ...others] = words.lines();
    expect(first).toBe('red');
    expect(second).toHaveLength(500);
    expect(others).toEqual([]);
  });

  it('of a progress bar are its final state', () => {
    const words = new LastWords();
    words.hear('  1 %\r 50 %');
    expect(words.lines()).toEqual([' 50 %']);
    words.hear('\r');
    expect(words.lines()).toEqual([' 50 %']);
    words.hear('100 %\r\nsaved\r\n');
    expect(words.lines()).toEqual(['100 %', 'saved']);
  });

  it('may include lines from another source, with any limit', () => {
    const words = new LastWords(2);
    words.hear('one\ntw');
    words.add('elsewhere');
    words.hear('o\n');
    expect(words.lines()).toEqual(['elsewhere', 'two']);
  });
});

const unrecordable = (text: string): string | null => unrecordableIn(JSON.parse(text), text);

describe('content that events cannot hold', () => {
  it.each([
    '{"a": 9007199254740993}',
    '[1152921504606846977]',
    '{"text": "0", "list": [1, -9007199254740993]}',
    '12345678901234567890',
  ])('is a whole number that JSON.parse rounds: %s', (text) => {
    expect(unrecordable(text)).toContain('which JSON readers may round; write its digits as a text');
  });

  it.each([
    '{"a": 9007199254740991}',
    '{"digits": "1152921504606846977"}',
    '{"quoted \\" 9007199254740993": 1}',
    '0.12345678901234567',
    '1234567890123456789.5',
    '1e300',
    '9007199254740993e2',
  ])('is not %s', (text) => {
    expect(unrecordable(text)).toBe(null);
  });
});
