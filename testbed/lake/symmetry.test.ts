import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../schemas/testing/tries.ts';
import { fromAscii } from './ascii.ts';
import {
  type Agent,
  digestOf,
  type Instance,
  type Pair,
  representativeOf,
  symmetriesOf,
  symmetryDigestOf,
} from './instance.ts';
import { instanceOf, type Line, lineOf } from './line.ts';
import { instances } from './testing/arbitraries.ts';
import { transformed } from './testing/forms.ts';

// The reference: lines rotated by rows and columns, a quarter at a time, and mirrored.
type Turn = (pair: Pair, size: number) => Pair;
const quarter: Turn = ([row, column], size) => [column, size - 1 - row];
const mirror: Turn = ([row, column], size) => [row, size - 1 - column];
const eightWays: readonly (readonly Turn[])[] = [[], [mirror]].flatMap((first) =>
  [0, 1, 2, 3].map((quarters) => [...first, ...Array<Turn>(quarters).fill(quarter)]),
);

function turn(line: Line, way: readonly Turn[]): Line {
  const { size, holes, agents } = line;
  const move = (pair: Pair): Pair => way.reduce((at, one) => one(at, size), pair);
  return {
    size,
    holes: holes.map(move),
    agents: agents.map(({ start, goal }) => ({ start: move(start), goal: move(goal) })),
  };
}

/** One text for all lines that are the same up to symmetry: the smallest of their texts. */
function classOf(instance: Instance): string {
  const texts = eightWays.map((way) => {
    const { size, holes, agents } = turn(lineOf(instance), way);
    return JSON.stringify([size, holes.map(String).sort(), agents.map(({ start, goal }) => `${start} ${goal}`).sort()]);
  });
  return texts.sort()[0] as string;
}

/** The number of classes, after checking that digests and the reference agree. */
function countClasses(all: Iterable<Instance>): number {
  const classes = new Map<string, string>();
  const digests = new Set<string>();
  for (const instance of all) {
    const name = classOf(instance);
    const digest = symmetryDigestOf(instance);
    expect(classes.get(name) ?? digest).toBe(digest);
    classes.set(name, digest);
    digests.add(digest);
  }
  expect(digests.size).toBe(classes.size);
  return classes.size;
}

describe('the symmetries of a square', () => {
  it.each([3, 4, 10, 32])('are eight different ones for size %i, the identity first', (size) => {
    const ways = symmetriesOf(size);
    expect(new Set(ways.map(({ to }) => to.join(' '))).size).toBe(8);
    expect(ways[0]?.to).toEqual(Uint16Array.from({ length: size ** 2 }, (_, cell) => cell));
    for (const { to, from } of ways) for (const [cell, there] of to.entries()) expect(from[there]).toBe(cell);
  });

  it('transform an instance like its line of rows and columns', () => {
    fc.assert(
      fc.property(instances({ largest: 8 }), (instance) => {
        const ours = symmetriesOf(instance.size).map((way) => digestOf(transformed(instance, way)));
        const theirs = eightWays.map((way) => digestOf(instanceOf(turn(lineOf(instance), way))));
        expect(ours.sort()).toEqual(theirs.sort());
      }),
    );
  });
});

describe('the symmetry digest', () => {
  it('is invariant under rotation, reflection and renumbering', () => {
    const transformedAndRenumbered = instances({ agents: 6 }).chain((instance) =>
      fc.record({
        instance: fc.constant(instance),
        way: fc.constantFrom(...eightWays),
        agents: fc.shuffledSubarray([...instance.agents], { minLength: instance.agents.length }),
      }),
    );
    fc.assert(
      fc.property(transformedAndRenumbered, ({ instance, way, agents }) => {
        const other = instanceOf(turn(lineOf({ ...instance, agents }), way));
        expect(symmetryDigestOf(other)).toBe(symmetryDigestOf(instance));
        expect(representativeOf(other)).toEqual(representativeOf(instance));
      }),
      { numRuns: tries(500) },
    );
  });

  it('is the digest of one of the equivalent instances', () => {
    fc.assert(
      fc.property(instances({ largest: 8 }), (instance) => {
        const representative = representativeOf(instance);
        expect(classOf(representative)).toBe(classOf(instance));
        expect(symmetryDigestOf(instance)).toBe(digestOf(representative));
      }),
    );
  });

  it('never changes', () => {
    const instance = fromAscii(['a. .. .A', '## .. ..', '.. bB ##'].join('\n'));
    expect(symmetryDigestOf(instance)).toBe('29f290ec8fa958c023667e68d83fa1fef781c9c13f7a25e7aac2ec94c4108242');
  });

  it('distinguishes 272 lakes of 3 x 3 without holes, with two agents, neither on its goal', () => {
    expect(countClasses(twoAgents())).toBe(272);
  });

  it('distinguishes all lakes of 3 x 3 with one agent and any holes', () => {
    expect(countClasses(oneAgent())).toBe(countByBurnside());
  });

  it('distinguishes opposite directions of an agent', () => {
    const there = fromAscii(['a. .. ..', '.. .A ..', '.. .. ..'].join('\n'));
    const back = fromAscii(['.A .. ..', '.. a. ..', '.. .. ..'].join('\n'));
    expect(symmetryDigestOf(there)).not.toBe(symmetryDigestOf(back));
  });
});

const nine = [0, 1, 2, 3, 4, 5, 6, 7, 8];

function* agentsOfNine(): Generator<Agent> {
  for (const start of nine) for (const goal of nine) yield { start, goal };
}

function* twoAgents(): Generator<Instance> {
  const movers = [...agentsOfNine()].filter(({ start, goal }) => start !== goal);
  for (const one of movers) {
    for (const other of movers) {
      if (one.start === other.start || one.goal === other.goal) continue;
      yield { size: 3, holes: new Uint8Array(9), agents: [one, other] };
    }
  }
}

function* oneAgent(): Generator<Instance> {
  for (let bits = 0; bits < 2 ** 9; bits++) {
    const holes = Uint8Array.from(nine, (cell) => (bits >> cell) & 1);
    for (const agent of agentsOfNine()) {
      if (holes[agent.start] === 0 && holes[agent.goal] === 0) yield { size: 3, holes, agents: [agent] };
    }
  }
}

/** Burnside's lemma: the average number of lakes that a symmetry leaves unchanged. */
function countByBurnside(): number {
  const lakes = [...oneAgent()].map((lake) => ({ lake, digest: digestOf(lake) }));
  const kept = symmetriesOf(3).map((way) =>
    lakes.filter(({ lake, digest }) => digestOf(transformed(lake, way)) === digest),
  );
  return kept.reduce((sum, { length }) => sum + length, 0) / 8;
}
