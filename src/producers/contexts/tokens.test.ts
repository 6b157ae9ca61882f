import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tokensIn } from './tokens.ts';

it.each([
  ['', 0],
  ['waits', 1],
  ['waiting', 2],
  ['8.hole', 3],
  ['12345', 2],
  ['two words', 2],
  ['far      apart', 3],
  ['a\n\n\nb', 3],
  ['12% (5/40)', 7],
  ['╭──╮', 8],
])('%j always counts as %i tokens', (text, tokens) => {
  expect(tokensIn(text)).toBe(tokens);
});

it('any text has as many tokens as by the reference expression', () => {
  const inPieces = (text: string): number => {
    let tokens = 0;
    for (const [piece] of text.matchAll(/[A-Za-z]+|[0-9]+|\n+| {2,}|\S/gu)) {
      if (/^[A-Za-z]/.test(piece)) tokens += Math.ceil(piece.length / 5);
      else if (/^[0-9]/.test(piece)) tokens += Math.ceil(piece.length / 3);
      else tokens += piece.charCodeAt(0) < 0x80 ? 1 : 2;
    }
    return tokens;
  };
  const unit = fc.oneof(
    fc.constantFrom(
      'a',
      'Z',
      '7',
      ' ',
      '\n',
      '\t',
      '\r',
      '.',
      '│',
      '\u00a0',
      '\u2028',
      '\ufeff',
      '😀',
      '\ud800',
      '\udc00',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => tokensIn(text) === inPieces(text)),
    { numRuns: 500 },
  );
});
