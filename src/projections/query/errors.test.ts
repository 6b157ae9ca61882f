import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexAt, placeAt } from './errors.ts';

it('a place is found by bytes and reported in lines and characters', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '🧊', ' ', '\n') });
  fc.assert(
    fc.property(letters, letters, (before, after) => {
      const place = placeAt(before + after, Buffer.byteLength(before));
      const lines = before.split('\n');
      expect(place).toMatchObject({ line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 });
      expect(indexAt(before + after, Buffer.byteLength(before))).toBe(before.length);
    }),
  );
});

it('a long line is shown around the place', () => {
  const [line = '', caret = ''] = (placeAt(`${'a'.repeat(200)}!${'b'.repeat(200)}`, 200)?.excerpt ?? '').split('\n');
  expect(line.length).toBeLessThan(140);
  expect(line[caret.indexOf('^')]).toBe('!');
});

it('there is no place if DuckDB names none', () => {
  expect(placeAt('SELECT 1', 2 ** 64)).toBeNull();
  expect(placeAt('SELECT 1', Number.NaN)).toBeNull();
});
