// Invariants of a suite.
import { beforeAll, describe, expect, it } from 'vitest';
import type { LakeShortage } from '../generate.ts';
import { type Made, poolOf } from '../maker.ts';
import { type SuiteLayout, suiteInstances } from '../suites.ts';
import { collected, suiteDigest } from './collected.ts';

/** Digests of their instances' digests, in order. */
const golden: Readonly<Record<string, string>> = {
  'agents-2-wait-25': '08099ff9b33d096e04e74d58fdcbebe0ecba5d3dba0f1e0ca30a59aa8ad81f59',
  'agents-2-wait-50': '9e29e79d9649064d77ac9f3dcabdfd514bfc01ef339e93a7e0d3ca9b9e715738',
  'agents-2-wait-75': 'b4fd0ceadf11ec826b68d2657125a032ae002adfa2c9739ad2aa43a494bbfdae',
  'agents-3-wait-25': '4788ba3399eae96ab5d9411f74a6fa9343f34fa1130b4b8c751721647edf5ceb',
  'agents-3-wait-50': '777b2ed75a9124586bdbfbb7679e3e6f377cc7b4a112adec578f5ec4df8cbf76',
  'agents-3-wait-75': '3cce24ec0ab065a7da3af3204b852be49656ec56b8a801ebae412cc2542dc77c',
  'agents-4-wait-25': '14c8c3a156f351b16aea440182227856bbef282d4a41ff1fb6f24fabc00b2978',
  'agents-4-wait-50': 'd1865ca7d7d95ffc4d1d62017f4991d915d8c19e84314cf71407d69bdcfbf9ce',
  'agents-4-wait-75': '0c2e7260f96876fc0b01483303e3c03c198f44857d645add00b6c653761ec324',
  'agents-5-wait-25': 'e98101741bb48bb4d2a983dc3f3547540b1a4b29d2c951df5446a0e982e51558',
  'agents-5-wait-50': '80d271f1611ce1cad53adee8d328393a87d977b5f39f9b1fbf6ffebb227bcd69',
  'agents-5-wait-75': '93d70b52458157bbbb20ff9e0d915472dbd67b2e775919eed5072a3914addf05',
};

export function waits(made: readonly Made[]): number {
  return made.filter(({ kind }) => kind.needsWait).length;
}

export function suiteHolds(suite: SuiteLayout): void {
  describe(`the suite ${suite.name}`, () => {
    let made: readonly Made[];
    let shortages: readonly LakeShortage[];
    let bySize: ReadonlyMap<number, readonly Made[]>;

    beforeAll(() => {
      ({ made, shortages } = collected(suiteInstances(suite)));
      bySize = Map.groupBy(made, ({ kind }) => kind.size);
    });

    it('has not changed', () => {
      expect(suiteDigest(made)).toBe(golden[suite.name]);
    });

    it('has fifty instances of each size, 13, 25 or 38 of them with a wait', () => {
      expect(new Set(made.map(({ instance }) => instance.agents.length))).toEqual(new Set([suite.agents]));
      expect([...bySize.keys()].sort((a, b) => a - b)).toEqual(suite.sizes);
      const waiting = { 0.25: 13, 0.5: 25, 0.75: 38 }[suite.wait];
      for (const some of bySize.values()) {
        expect(some).toHaveLength(50);
        expect(waits(some)).toBe(waiting);
      }
    });

    it('has 0 to 30 % holes, with equally frequent levels as far as possible', () => {
      for (const [size, some] of bySize) {
        const levels = [0, 0.1, 0.2, 0.3].map((share) => Math.round(share * size ** 2));
        for (const needsWait of [false, true]) {
          const group = some.filter(({ kind }) => kind.needsWait === needsWait);
          const counts = levels.map((holes) => group.filter(({ kind }) => kind.holes === holes).length);
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(group.length);
          if (size > 3 || suite.agents > 2) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(2);
        }
      }
    });

    it('has no repeated instance up to symmetry, and all from the split "test"', () => {
      expect(new Set(made.map(({ symmetryDigest }) => symmetryDigest)).size).toBe(made.length);
      expect(made.every(({ symmetryDigest }) => poolOf(symmetryDigest) === 'test')).toBe(true);
    });

    it('has other holes only for waits of two agents on 3 x 3 without holes', () => {
      const lacking = { size: 3, agents: 2, holes: 0, needsWait: true };
      const kinds = shortages.map(({ kind }) => kind);
      expect(kinds).toEqual(suite.agents === 2 ? [lacking] : []);
      for (const { asked, achieved, replaced } of shortages) expect(achieved + replaced).toBe(asked);
    });
  });
}
