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
import { turned } from './testing/forms.ts';

// The reference: lines turned by rows and columns, a quarter at a time, and mirrored.
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

/** One text for all lines that are the same turned, mirrored or renumbered: the least of their texts. */
function classOf(instance: Instance): string {
  const texts = eightWays.map((way) => {
    const { size, holes, agents } = turn(lineOf(instance), way);
    return JSON.stringify([size, holes.map(String).sort(), agents.map(({ start, goal }) => `${start} ${goal}`).sort()]);
  });
  return texts.sort()[0] as string;
}

/** How many classes there are, when the digests tell them apart exactly as the reference does. */
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
  it.each([3, 4, 10, 32])('are eight different ones for size %i, the first of which changes nothing', (size) => {
    const ways = symmetriesOf(size);
    expect(new Set(ways.map(({ to }) => to.join(' '))).size).toBe(8);
    expect(ways[0]?.to).toEqual(Uint16Array.from({ length: size ** 2 }, (_, cell) => cell));
    for (const { to, from } of ways) for (const [cell, there] of to.entries()) expect(from[there]).toBe(cell);
  });

  it('turn an instance as its line is turned by rows and columns', () => {
    fc.assert(
      fc.property(instances({ largest: 8 }), (instance) => {
        const ours = symmetriesOf(instance.size).map((way) => digestOf(turned(instance, way)));
        const theirs = eightWays.map((way) => digestOf(instanceOf(turn(lineOf(instance), way))));
        expect(ours.sort()).toEqual(theirs.sort());
      }),
    );
  });
});

describe('the symmetry digest', () => {
  it('is the same for an instance turned, mirrored and renumbered', () => {
    const turnedAndRenumbered = instances({ agents: 6 }).chain((instance) =>
      fc.record({
        instance: fc.constant(instance),
        way: fc.constantFrom(...eightWays),
        agents: fc.shuffledSubarray([...instance.agents], { minLength: instance.agents.length }),
      }),
    );
    fc.assert(
      fc.property(turnedAndRenumbered, ({ instance, way, agents }) => {
        const other = instanceOf(turn(lineOf({ ...instance, agents }), way));
        expect(symmetryDigestOf(other)).toBe(symmetryDigestOf(instance));
        expect(representativeOf(other)).toEqual(representativeOf(instance));
      }),
      { numRuns: tries(500) },
    );
  });

  it('is the digest of one of those it is the same for', () => {
    fc.assert(
      fc.property(instances({ largest: 8 }), (instance) => {
        const representative = representativeOf(instance);
        expect(classOf(representative)).toBe(classOf(instance));
        expect(symmetryDigestOf(instance)).toBe(digestOf(representative));
      }),
    );
  });

  it('is the same text for ever', () => {
    const instance = fromAscii(['a. .. .A', '## .. ..', '.. bB ##'].join('\n'));
    expect(symmetryDigestOf(instance)).toBe('29f290ec8fa958c023667e68d83fa1fef781c9c13f7a25e7aac2ec94c4108242');
  });

  it('tells 272 lakes of 3 x 3 apart: without holes, two agents, neither on its goal', () => {
    expect(countClasses(twoAgents())).toBe(272);
  });

  it('tells all lakes of 3 x 3 with one agent apart, whatever their holes', () => {
    expect(countClasses(oneAgent())).toBe(countByBurnside());
  });

  it('does not take an agent that goes there and one that comes back for the same', () => {
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

/** As many classes as lakes stay the same under a symmetry, on average over the eight. */
function countByBurnside(): number {
  const lakes = [...oneAgent()].map((lake) => ({ lake, digest: digestOf(lake) }));
  const kept = symmetriesOf(3).map((way) => lakes.filter(({ lake, digest }) => digestOf(turned(lake, way)) === digest));
  return kept.reduce((sum, { length }) => sum + length, 0) / 8;
}
