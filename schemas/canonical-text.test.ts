import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { isCanonicalText, walksCanonically } from './canonical-text.ts';
import { parseJson } from './json-text.ts';
import { anyJson } from './testing/arbitrary.ts';
import { nearlyCanonical } from './testing/nearly-canonical.ts';

function isItsOwnForm(text: string): boolean {
  try {
    return canonicalJson(parseJson(text)) === text;
  } catch {
    return false;
  }
}

const names = fc.oneof(
  fc.constantFrom('', 'a', 'aa', 'ab', 'b', '9', '10', '__proto__', 'é', '😀', '\ufb33', '"', '\\', '\n', ' ', '!'),
  fc.string({ unit: 'binary', maxLength: 3 }).filter((name) => name.isWellFormed()),
);
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.integer().map((n) => n / 1e9),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numbers,
    fc.string({ maxLength: 6 }),
    anyJson,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

describe('whether a text is canonical JSON', () => {
  it('is answered as reading and writing it again answers it', () => {
    let canonical = 0;
    fc.assert(
      fc.property(values.chain(nearlyCanonical), (text) => {
        const is = isItsOwnForm(text);
        if (is) canonical++;
        expect(isCanonicalText(text)).toBe(is);
        if (walksCanonically(text)) expect(is).toBe(true);
      }),
      { numRuns: 4000 },
    );
    expect(canonical).toBeGreaterThan(800);
  });

  it('is answered alike of text with any character put anywhere', () => {
    const characters = fc.constantFrom(...'"\\,:{}[] 0e-+.9\nuaé\u0000\ud800');
    const spoilt = fc
      .tuple(values, fc.nat(1000), characters, fc.integer({ min: 0, max: 2 }))
      .map(([value, where, character, taken]) => {
        const text = canonicalJson(value);
        const at = where % (text.length + 1);
        return text.slice(0, at) + character + text.slice(at + taken);
      });
    fc.assert(
      fc.property(spoilt, (text) => {
        expect(isCanonicalText(text)).toBe(isItsOwnForm(text));
      }),
      { numRuns: 4000 },
    );
  });

  it('is answered of decimal numbers as they are written again', () => {
    const digits = (maxLength: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom('0', '0', '0', '1', '5', '9'), minLength: 1, maxLength });
    const decimals = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.constant('0'),
          digits(9).map((text) => `1${text}`),
        ),
        digits(12),
      )
      .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`);
    fc.assert(
      fc.property(decimals, (text) => {
        expect(walksCanonically(text), text).toBe(isItsOwnForm(text));
      }),
      { numRuns: 4000 },
    );
  });

  it('is answered by one walk of what events are made of', () => {
    const value = {
      at: '2026-01-02',
      data: { '10': 1, '9': 0.30000000000000004, a: [-1, 1e21, 1e-7], b: 'x\n"\\😀\u0001' },
    };
    expect(walksCanonically(canonicalJson(value))).toBe(true);
  });

  it('is answered of nesting as deep as canonical JSON may be, and deeper', () => {
    for (const depth of [255, 256, 257, 258, 300]) {
      const text = '['.repeat(depth) + ']'.repeat(depth);
      expect(isCanonicalText(text), String(depth)).toBe(isItsOwnForm(text));
    }
    expect(isCanonicalText('['.repeat(300_000))).toBe(false);
  });
});
