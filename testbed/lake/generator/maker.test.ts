import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Split } from '../../../src/lab/environments/environment.ts';
import { digestOf, symmetryDigestOf } from '../instance.ts';
import { judge } from '../judge.ts';
import { Solver } from '../solver/solver.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { type Made, Maker, poolOf } from './maker.ts';
import type { Kind } from './orders.ts';
import { arrangements, unevenness } from './testing/arrangements.ts';

const splits = fc.constantFrom<Split>('train', 'validation', 'probe', 'probe-holdout', 'test');

/** Frequent kinds. */
function kinds(sizes: readonly number[], agents: readonly number[]): fc.Arbitrary<Kind> {
  return fc
    .record({
      size: fc.constantFrom(...sizes),
      agents: fc.constantFrom(...agents),
      holes: fc.integer({ min: 10, max: 30 }),
      needsWait: fc.boolean(),
    })
    .map((kind) => ({ ...kind, holes: Math.round((kind.holes / 100) * kind.size ** 2) }));
}

function expectKept({ instance, kind, digest, symmetryDigest }: Made, wanted: Kind, split: Split): void {
  const { size, holes, agents } = instance;
  expect(kind).toEqual(wanted);
  expect({ size, holes: holes.reduce((sum, hole) => sum + hole, 0), agents: agents.length }).toEqual({
    size: wanted.size,
    holes: wanted.holes,
    agents: wanted.agents,
  });
  expect(new Set(agents.map(({ start }) => start)).size).toBe(agents.length);
  expect(new Set(agents.map(({ goal }) => goal)).size).toBe(agents.length);
  expect(agents.filter(({ start, goal }) => start === goal)).toEqual([]);
  expect(digest).toBe(digestOf(instance));
  expect(symmetryDigest).toBe(symmetryDigestOf(instance));
  expect(poolOf(symmetryDigest)).toBe(split);
}

/** The instances that a maker makes for some slots of a kind. */
function make(kind: Kind, split: Split, seed: string, ordinals: Iterable<number> = [0]): Made[] {
  const maker = new Maker(seed, split);
  return Array.from(ordinals, (ordinal) => maker.make({ kind, ordinal })).filter((made) => made !== null);
}

describe('every instance', () => {
  it('has the requested kind, has a plan, and needs a wait as requested, checked exhaustively', () => {
    fc.assert(
      fc.property(kinds([3, 4], [2, 3]), splits, fc.string(), (kind, split, seed) => {
        const [made] = make(kind, split, seed) as [Made];
        expectKept(made, kind, split);
        expect(exhaustive(made.instance)).toMatchObject({ cost: made.cost, needsWait: kind.needsWait });
      }),
      { numRuns: tries(40) },
    );
  });

  it('has these properties on large lakes with many agents too, checked with the solver', () => {
    const solver = new Solver();
    fc.assert(
      fc.property(kinds([5, 6, 7, 8, 9, 10], [2, 3, 4, 5]), splits, fc.string(), (kind, split, seed) => {
        const [made] = make(kind, split, seed) as [Made];
        expectKept(made, kind, split);
        const solution = solver.solve(made.instance);
        expect(solution).toMatchObject({ solvable: true, cost: made.cost });
        if (solution.solvable !== true) return;
        expect(solver.needsWait(made.instance, made.cost)).toBe(kind.needsWait);
        expect(judge(made.instance, solution.plan)).toMatchObject({ outcome: 'valid', cost: made.cost });
      }),
      { numRuns: tries(60) },
    );
  });

  it.each([2, 7])('can have a single agent, which never waits, with %i holes', (holes) => {
    const [made] = make({ size: 3, agents: 1, holes, needsWait: false }, 'train', 'seed') as [Made];
    expect(exhaustive(made.instance)).toMatchObject({ cost: made.cost, needsWait: false });
  });
});

/** The deviation of a sample from a uniform one, over all 3 x 3 lakes with two agents of a kind in the training split. */
function unevennessOf(holes: number, needsWait: boolean, perArrangement: number): number {
  const fitting = arrangements(holes).filter(
    (instance) => poolOf(symmetryDigestOf(instance)) === 'train' && exhaustive(instance)?.needsWait === needsWait,
  );
  const ordinals = Array.from({ length: perArrangement * fitting.length }, (_, ordinal) => ordinal);
  const sample = make({ size: 3, agents: 2, holes, needsWait }, 'train', 'even', ordinals);
  return unevenness(
    fitting.map(digestOf),
    sample.map(({ digest }) => digest),
  );
}

describe('all matching instances', () => {
  it.each([
    ['no holes and no wait', 0, false],
    ['five holes and a wait', 5, true],
  ])('are equally frequent: %s', (_, holes, needsWait) => {
    expect(Math.abs(unevennessOf(holes, needsWait, 15))).toBeLessThan(4);
  });
});

describe('the instance of a slot', () => {
  const kind = { size: 4, agents: 2, holes: 2, needsWait: false };

  it('depends only on the seed, the split, the kind and the ordinal', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7]), fc.string(), splits, (ordinals, seed, split) => {
        const maker = new Maker(seed, split);
        maker.make({ kind: { ...kind, needsWait: true }, ordinal: 0 });
        for (const ordinal of ordinals)
          expect(maker.make({ kind, ordinal })).toEqual(make(kind, split, seed, [ordinal])[0]);
      }),
      { numRuns: tries(20) },
    );
  });

  it('differs for every ordinal and seed, and when it replaces another kind', () => {
    const maker = new Maker('seed', 'train');
    const made = [
      ...make(kind, 'train', 'seed', [0, 1, 2]),
      ...make(kind, 'train', 'another seed', [0, 1, 2]),
      maker.make({ kind, ordinal: 0, standsIn: true }),
    ];
    expect(new Set(made.map((one) => one?.digest)).size).toBe(7);
  });

  it('does not depend on earlier makers in this process, with or without taken instances', () => {
    const smallest = { size: 3, agents: 2, holes: 1, needsWait: false };
    for (const one of [kind, smallest]) {
      const taken = new Set(make(one, 'probe', 'other', [0, 1, 2, 3]).map(({ symmetryDigest }) => symmetryDigest));
      const made = (ordinal: number, without?: ReadonlySet<string>): Made | null =>
        new Maker('once', 'probe').make({ kind: one, ordinal }, without);
      for (const ordinal of [0, 1, 2, 3, 4]) {
        const withoutTaken = made(ordinal, taken);
        const first = made(ordinal) as Made;
        expect(made(ordinal)).toEqual(first);
        expect(made(ordinal, taken)).toEqual(withoutTaken);
        if (!taken.has(first.symmetryDigest)) expect(withoutTaken).toEqual(first);
      }
    }
  });

  it('is the first one that is not taken', () => {
    const maker = new Maker('seed', 'test');
    const taken = new Set<string>();
    const digests: string[] = [];
    for (let i = 0; i < 20; i++) {
      const { symmetryDigest } = maker.make({ kind, ordinal: 7 }, taken) as Made;
      digests.push(symmetryDigest);
      taken.add(symmetryDigest);
    }
    expect(new Set(digests).size).toBe(20);
    const withoutThird = new Set(digests.toSpliced(2, 1));
    expect(maker.make({ kind, ordinal: 7 }, withoutThird)?.symmetryDigest).toBe(digests[2]);
  });

  it.each<[string, Kind]>([
    ['agents have no cells', { size: 3, agents: 2, holes: 8, needsWait: false }],
    ['all cells are holes', { size: 3, agents: 1, holes: 9, needsWait: false }],
    ['a single agent has no free goal', { size: 3, agents: 1, holes: 8, needsWait: false }],
    ['a single agent should wait', { size: 10, agents: 1, holes: 30, needsWait: true }],
    ['agents fill the lake and cannot move', { size: 3, agents: 2, holes: 7, needsWait: false }],
    ['all four classes of a kind are in other splits', { size: 3, agents: 2, holes: 0, needsWait: true }],
  ])('is null if %s', (_, impossible) => {
    expect(make(impossible, 'probe', 'seed')).toEqual([]);
  });
});
