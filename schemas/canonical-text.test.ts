import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { isCanonicalInOnePass, isCanonicalText } from './canonical-text.ts';
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
  it('agrees with parsing the text and writing it again', () => {
    let canonical = 0;
    fc.assert(
      fc.property(values.chain(nearlyCanonical), (text) => {
        const is = isItsOwnForm(text);
        if (is) canonical++;
        expect(isCanonicalText(text)).toBe(is);
        if (isCanonicalInOnePass(text)) expect(is).toBe(true);
      }),
      { numRuns: 4000 },
    );
    expect(canonical).toBeGreaterThan(800);
  });

  it('agrees also with any character inserted anywhere', () => {
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

  it('agrees for decimal numbers', () => {
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
        expect(isCanonicalInOnePass(text), text).toBe(isItsOwnForm(text));
      }),
      { numRuns: 4000 },
    );
  });

  it('is decided by a single pass for typical event data', () => {
    const value = {
      at: '2026-01-02',
      data: { '10': 1, '9': 0.30000000000000004, a: [-1, 1e21, 1e-7], b: 'x\n"\\😀\u0001' },
    };
    expect(isCanonicalInOnePass(canonicalJson(value))).toBe(true);
  });

  it('is decided for nesting at and beyond the maximum depth', () => {
    for (const depth of [255, 256, 257, 258, 300]) {
      const text = '['.repeat(depth) + ']'.repeat(depth);
      expect(isCanonicalText(text), String(depth)).toBe(isItsOwnForm(text));
    }
    expect(isCanonicalText('['.repeat(300_000))).toBe(false);
  });
});
