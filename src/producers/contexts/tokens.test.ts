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
])('%j takes %i tokens, for ever', (text, tokens) => {
  expect(tokensIn(text)).toBe(tokens);
});
