import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/lab/random.ts';
import { Seen } from './joint.ts';

/** Small keys, keys that differ only in high or only in low bits, and random ones. */
const keys = fc.oneof(
  fc.nat(20),
  fc.nat(1000).map((high) => high * 2 ** 32),
  fc.nat(1000).map((high) => high * 2 ** 21 + 5),
  fc.maxSafeNat(),
);

describe('a set of numbers', () => {
  it('distinguishes new numbers from present ones, before and after clear', () => {
    const seen = new Seen();
    const commands = fc.array(fc.oneof({ weight: 30, arbitrary: keys }, fc.constant('clear' as const)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(commands, (given) => {
        seen.clear();
        const reference = new Set<number>();
        for (const key of given) {
          if (key === 'clear') {
            seen.clear();
            reference.clear();
            continue;
          }
          expect(seen.add(key)).toBe(!reference.has(key));
          reference.add(key);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['one after the other', (i: number) => i],
    ['far apart', (i: number) => i * 2 ** 33],
    ['in the order of digits', (i: number) => (i % 256) * 2 ** 44 + Math.floor(i / 256)],
  ])('holds many, %s, and clears them all', (_, keyOf) => {
    const seen = new Seen();
    const count = 100_000;
    for (let round = 0; round < 2; round++) {
      let added = 0;
      let known = 0;
      for (let i = 0; i < count; i++) if (seen.add(keyOf(i))) added++;
      for (let i = 0; i < count; i++) if (!seen.add(keyOf(i))) known++;
      expect([added, known]).toEqual([count, count]);
      seen.clear();
    }
  });

  it('holds the number 0 and the largest one', () => {
    const seen = new Seen();
    const largest = 2 ** 53 - 1;
    const random = new Random('edges');
    for (let i = 0; i < 600; i++) seen.add(random.word() + 1);
    expect([0, largest, largest - 1].map((key) => seen.add(key))).toEqual([true, true, true]);
    expect([0, largest, largest - 1].map((key) => seen.add(key))).toEqual([false, false, false]);
  });
});
