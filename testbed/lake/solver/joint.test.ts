import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { fromAscii } from '../ascii.ts';
import type { Cell, Instance } from '../instance.ts';
import { judge } from '../judge.ts';
import { Consistency } from './consistency.ts';
import { JointSearch } from './joint.ts';
import { Reservations, SingleSearch } from './reservations.ts';
import { movesOf } from './solver.ts';
import { Terrain, unreachable } from './terrain.ts';
import { canArrive, type Others } from './testing/joint-moves.ts';
import { allKinds, alone, fullLakes, openLakes } from './testing/lakes.ts';

const terrain = new Terrain();
const ways = new Reservations(terrain);
const searches = [false, true].map((mayWait) => ({
  single: new SingleSearch(terrain, ways, mayWait),
  joint: new JointSearch(terrain, ways, mayWait),
  consistency: new Consistency(terrain, mayWait),
}));

interface Query {
  readonly instance: Instance;
  readonly arrivals: readonly number[];
  readonly mayWait: boolean;
}

function queries(lakes: fc.Arbitrary<Instance>, most: number): fc.Arbitrary<Query> {
  return fc
    .record({ instance: lakes, more: fc.array(fc.nat(most), { minLength: 5, maxLength: 5 }), mayWait: fc.boolean() })
    .map(({ instance, more, mayWait }) => {
      terrain.load(instance);
      const later = (agent: number): number => {
        const steps = more[agent] as number;
        return terrain.distance(agent) + (mayWait ? steps : 2 * Math.floor(steps / 2));
      };
      return { instance, mayWait, arrivals: instance.agents.map((_, agent) => later(agent)) };
    })
    .filter(({ arrivals }) => arrivals.every((arrival) => arrival < unreachable));
}

/** The searches with the lake loaded, without any paths. */
function searchesFor({ instance, arrivals, mayWait }: Query): (typeof searches)[number] {
  terrain.load(instance);
  ways.clear(Math.max(...arrivals));
  return searches[mayWait ? 1 : 0] as (typeof searches)[number];
}

/** Checks that the members have valid paths as requested. */
function expectWays({ instance, arrivals, mayWait }: Query, members: readonly number[]): void {
  const found = members.map((agent) => ways.way(agent));
  const plan = found.map((way) => movesOf(way, instance.size));
  expect(judge(alone(instance, members), plan).outcome).toBe('valid');
  for (const [i, agent] of members.entries()) expect(found[i]?.length).toBeLessThanOrEqual(1 + (arrivals[agent] ?? 0));
  if (!mayWait) expect(plan.join('')).not.toContain('W');
}

const enough = 1_000_000;

describe('a joint path', () => {
  it.each([
    [
      'three',
      fc.oneof(queries(allKinds({ agents: 3, sizes: [3, 4] }), 4), queries(fullLakes({ agents: 3, sizes: [3] }), 7)),
    ],
    ['four', queries(allKinds({ agents: 4, sizes: [3] }), 3)],
    ['two', queries(allKinds({ agents: 2, sizes: [3, 4] }), 6)],
  ])('is found if it exists, with and without a guide: %s agents', (_, questions) => {
    fc.assert(
      fc.property(questions, (question) => {
        const { instance, arrivals, mayWait } = question;
        const members = [...instance.agents.keys()];
        const answer = canArrive(instance, members, arrivals, mayWait) ? 'found' : 'none';
        const { joint, consistency } = searchesFor(question);
        expect(joint.settle(members, arrivals, null, enough)).toBe(answer);
        if (answer === 'found') expectWays(question, members);
        if (!consistency.mayHold(members, arrivals)) return;
        ways.clear(Math.max(...arrivals));
        expect(joint.settle(members, arrivals, consistency, enough)).toBe(answer);
        if (answer === 'found') expectWays(question, members);
        expect(ways.blockers).toBe(0);
      }),
      { numRuns: tries(400) },
    );
  });

  it('is found if an agent comes back to its goal without having rested there', () => {
    const instance = fromAscii(['eE .. ##', '.A b. aB', 'dC cD ##'].join('\n'));
    const question = { instance, arrivals: [4, 3, 3, 5, 6], mayWait: false };
    const { joint } = searchesFor(question);
    expect(joint.settle([0, 1, 2, 3, 4], question.arrivals, null, enough)).toBe('found');
    expectWays(question, [0, 1, 2, 3, 4]);
  });

  it('is not searched beyond the limit', () => {
    fc.assert(
      fc.property(queries(openLakes({ agents: 4, sizes: [6] }, 0.4), 3), fc.nat(50), (question, limit) => {
        const { joint } = searchesFor(question);
        const members = [...question.instance.agents.keys()];
        const before = joint.work;
        const answer = joint.settle(members, question.arrivals, null, limit);
        if (answer !== 'spent') return;
        expect(joint.work - before).toBeGreaterThan(limit);
        expect(ways.settled).toBe(0);
      }),
    );
  });
});

describe('among agents with paths', () => {
  /** The agent that went first, as a plain search sees it. */
  const settled = (agent: number): Others => {
    const way = ways.way(agent);
    const at = (step: number): Cell => way[Math.min(step, way.length - 1)] as Cell;
    return {
      steps: way.length,
      meets: (step, cell, next) => at(step + 1) === next || (at(step) === next && at(step + 1) === cell),
    };
  };

  const questions = queries(allKinds({ agents: 3, sizes: [3, 4] }), 5);

  it('one agent finds a path if it exists; otherwise the search names its blockers, if any', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const { instance, arrivals, mayWait } = question;
        const { single } = searchesFor(question);
        expect(single.settle(0, arrivals[0] as number)).toBe(true);
        ways.blockers = 0;
        const isFound = single.settle(1, arrivals[1] as number);
        expect(isFound).toBe(canArrive(instance, [1], arrivals, mayWait, settled(0)));
        if (isFound) expectWays(question, [0, 1]);
        else expect(ways.blockers).toBe(1);
        expect(ways.settled).toBe(isFound ? 3 : 1);
      }),
      { numRuns: tries(1000) },
    );
  });

  it('two agents find a joint path if it exists; otherwise the search names their blockers', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const { instance, arrivals, mayWait } = question;
        const { single, joint } = searchesFor(question);
        single.settle(0, arrivals[0] as number);
        ways.blockers = 0;
        const answer = joint.settle([1, 2], arrivals, null, enough);
        expect(answer).toBe(canArrive(instance, [1, 2], arrivals, mayWait, settled(0)) ? 'found' : 'none');
        if (answer === 'found') expectWays(question, [0, 1, 2]);
        else if (canArrive(instance, [1, 2], arrivals, mayWait)) expect(ways.blockers).toBe(1);
      }),
      { numRuns: tries(600) },
    );
  });
});
