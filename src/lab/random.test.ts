import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from './random.ts';

const purposes = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 });
const words = (random: Random, count: number): number[] => Array.from({ length: count }, () => random.word());

/** sfc32 with arbitrary-precision integers, each sum reduced to 32 bits. */
function* reference(seed: string, purpose: readonly (string | number)[]): Generator<number> {
  const state = createHash('sha256')
    .update(JSON.stringify([seed, ...purpose]))
    .digest();
  const cut = (value: bigint): bigint => BigInt.asUintN(32, value);
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => BigInt(state.readUInt32LE(at))) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  for (;;) {
    const sum = cut(a + b + counter);
    counter = cut(counter + 1n);
    a = b ^ (b >> 9n);
    b = cut(c + (c << 3n));
    c = cut((cut(c << 21n) | (c >> 11n)) + sum);
    yield Number(sum);
  }
}

describe('random numbers', () => {
  it('are sfc32, seeded by a hash of seed and purpose', () => {
    fc.assert(
      fc.property(fc.string(), purposes, (seed, purpose) => {
        expect(words(new Random(seed, ...purpose), 50)).toEqual([...reference(seed, purpose).take(50)]);
      }),
    );
  });

  it('are the same on every machine', () => {
    expect(words(new Random('seed', 'lake', 8), 4)).toEqual([2558201998, 2455518678, 4137906041, 561857446]);
  });

  it('differ by seed and purpose, and the purpose "8" differs from the purpose 8', () => {
    const sequences = [
      new Random('seed', 'lake', 8),
      new Random('seed', 'lake', '8'),
      new Random('seed', 'lake8'),
      new Random('seed', 'lake', 9),
      new Random('seed'),
      new Random('seedlake', 8),
      new Random('lake', 'seed', 8),
    ];
    expect(new Set(sequences.map((random) => words(random, 4).join(' '))).size).toBe(sequences.length);
  });
});

describe('a number below a bound', () => {
  it('is an integer from 0 to below the bound', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 2 ** 32 }), (seed, bound) => {
        const random = new Random(seed);
        for (let i = 0; i < 20; i++) {
          const number = random.below(bound);
          expect(Number.isInteger(number) && number >= 0 && number < bound).toBe(true);
        }
      }),
    );
  });

  it('is uniform', () => {
    for (const bound of [2, 3, 6, 10]) {
      const counts = countOf(bound, 60_000, new Random('even', bound));
      for (const count of counts) expect(Math.abs(count / (60_000 / bound) - 1)).toBeLessThan(0.05);
    }
  });

  it('is uniform even if the bound does not divide the range', () => {
    // Without rejection, the lower third of remainders would be twice as frequent as the rest.
    const bound = 3 * 2 ** 30;
    const random = new Random('uneven');
    const low = Array.from({ length: 20_000 }, () => random.below(bound)).filter((number) => number < bound / 3).length;
    expect(Math.abs(low / 20_000 - 1 / 3)).toBeLessThan(0.02);
  });
});

describe('a bound', () => {
  it('of 1 gives only 0, and one of 2 ** 32 gives every word unchanged', () => {
    expect(new Random('seed').below(1)).toBe(0);
    expect(new Random('seed').below(2 ** 32)).toBe(new Random('seed').word());
  });

  it('that is not an integer from 1 to 2 ** 32 is refused', () => {
    const refused = [0, -0, -1, 2 ** 32 + 1, 0.5, 2.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const bound of refused) expect(() => new Random('seed').below(bound)).toThrow(RangeError);
    expect(() => new Random('seed').below(0)).toThrow(
      'the bound of a random number: found 0, allowed: a whole number from 1 to 4294967296',
    );
  });

  it('that is refused draws nothing', () => {
    const random = new Random('seed');
    expect(() => random.below(0)).toThrow(RangeError);
    expect(random.word()).toBe(new Random('seed').word());
  });
});

function countOf(bound: number, draws: number, random: Random): number[] {
  const counts = Array<number>(bound).fill(0);
  for (let i = 0; i < draws; i++) {
    const number = random.below(bound);
    counts[number] = (counts[number] ?? 0) + 1;
  }
  return counts;
}

it('a fraction is a word divided by 2 ** 32, never 1', () => {
  fc.assert(
    fc.property(fc.string(), (seed) => {
      const fraction = new Random(seed).fraction();
      expect(fraction).toBe(new Random(seed).word() / 2 ** 32);
      expect(fraction >= 0 && fraction < 1).toBe(true);
    }),
  );
});
