import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Split } from '../../../src/lab/environments/environment.ts';
import { type Instance, symmetriesOf, symmetryDigestOf } from '../instance.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { transformed } from '../testing/forms.ts';
import { generate } from './generate.ts';
import { poolOf, shareOf } from './maker.ts';
import { arrangements } from './testing/arrangements.ts';
import { collected } from './testing/collected.ts';
import { configurationOf, configurations } from './testing/configurations.ts';

const splits: readonly Split[] = ['train', 'validation', 'probe', 'probe-holdout', 'test'];

describe('the split of an instance', () => {
  it('is determined by the first digit of its symmetry digest', () => {
    const pools = [...'0123456789abcdef'].map((digit) => poolOf(digit.padEnd(64, '0')));
    const run = (split: Split, length: number): Split[] => Array<Split>(length).fill(split);
    expect(pools).toEqual([
      ...run('train', 7),
      ...run('validation', 2),
      ...run('probe', 2),
      ...run('probe-holdout', 1),
      ...run('test', 4),
    ]);
  });

  it('has its stated share of all instances', () => {
    expect(splits.map(shareOf)).toEqual([7 / 16, 2 / 16, 2 / 16, 1 / 16, 4 / 16]);
  });
});

/** Two agents on 3 x 3 without holes: by class, whether it needs a wait. */
const classes = new Map<string, boolean>();
for (const instance of arrangements(0)) {
  const digest = symmetryDigestOf(instance);
  if (!classes.has(digest)) classes.set(digest, exhaustive(instance)?.needsWait === true);
}

function classesIn(split: Split, needsWait: boolean): string[] {
  return [...classes]
    .filter(([digest, waits]) => poolOf(digest) === split && waits === needsWait)
    .map(([name]) => name);
}

describe('two agents on 3 x 3 without holes', () => {
  it('are in one split under rotation, reflection and renumbering', () => {
    for (const instance of arrangements(0)) {
      const { agents } = instance;
      const others: Instance[] = symmetriesOf(3).map((way) => transformed(instance, way));
      others.push({ ...instance, agents: agents.toReversed() });
      const pools = new Set(others.map((other) => poolOf(symmetryDigestOf(other))));
      expect([...pools]).toEqual([poolOf(symmetryDigestOf(instance))]);
    }
  });

  it('are 272 classes in all splits', () => {
    const counts = splits.map((split) => classesIn(split, false).length + classesIn(split, true).length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(272);
    expect(Math.min(...counts)).toBeGreaterThan(8);
  });

  it.each(splits)('are all found in the split "%s" when more are requested than exist, and no others', (split) => {
    const configuration = { agents: 2, sizes: { 3: { data: 1, hole: 0, wait: 0 } } };
    const { made } = collected(generate(configuration, split === 'train' ? 3000 : 300, { split, seed: 'all' }));
    const found = made.map(({ symmetryDigest }) => symmetryDigest);
    expect(new Set(found)).toEqual(new Set(classesIn(split, false)));
    if (split !== 'train') expect(found).toHaveLength(new Set(found).size);
  });
});

describe('instances of different splits', () => {
  it('never share an instance up to symmetry, for any configurations and seeds', () => {
    const some = fc.tuple(configurations({ sizes: [3, 4], maxHoles: 300 }), fc.string());
    const pools = new Map<string, Split>();
    fc.assert(
      fc.property(some, some, fc.constantFrom(...splits), (one, other, split) => {
        for (const [pool, [parts, seed]] of [['train', one] as const, [split, other] as const]) {
          const { made } = collected(generate(configurationOf(parts, 3), 25, { split: pool, seed }));
          for (const { instance } of made) {
            const digest = symmetryDigestOf(instance);
            expect(pools.get(digest) ?? pool).toBe(pool);
            pools.set(digest, pool);
          }
        }
      }),
      { numRuns: tries(40) },
    );
  });

  it('are unique outside of training', () => {
    const evaluation = fc.constantFrom<Split>('validation', 'probe', 'probe-holdout', 'test');
    fc.assert(
      fc.property(configurations({ sizes: [3, 4, 5], maxHoles: 300 }), evaluation, fc.string(), (some, split, seed) => {
        const { made } = collected(generate(configurationOf(some, 3), 40, { split, seed }));
        expect(new Set(made.map(({ instance }) => symmetryDigestOf(instance))).size).toBe(made.length);
      }),
      { numRuns: tries(25) },
    );
  });
});
