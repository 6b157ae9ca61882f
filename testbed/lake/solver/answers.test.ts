import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Instance } from '../instance.ts';
import { judge } from '../judge.ts';
import { Answers } from './search.ts';
import { movesOf } from './solver.ts';
import { Terrain, unreachable } from './terrain.ts';
import { canArrive } from './testing/joint-moves.ts';
import { allKinds } from './testing/lakes.ts';

const terrain = new Terrain();
const answers = [new Answers(terrain, false), new Answers(terrain, true)] as const;
const enough = 10_000_000;
/** The latest arrival to ask for, in steps beyond the time each agent needs alone. */
const slack = 5;

interface Query {
  readonly instance: Instance;
  readonly mayWait: boolean;
  /** Questions in order, as delays relative to each agent's time alone. */
  readonly later: readonly (readonly number[])[];
}

function queries(agents: number, sizes: readonly number[]): fc.Arbitrary<Query> {
  const steps = fc.array(fc.nat(slack), { minLength: agents, maxLength: agents });
  return fc
    .record({
      instance: allKinds({ agents, sizes }),
      mayWait: fc.boolean(),
      later: fc.array(steps, { minLength: 1, maxLength: 6 }),
    })
    .filter(({ instance }) => {
      terrain.load(instance);
      return instance.agents.every((_, agent) => terrain.distance(agent) < unreachable);
    });
}

/** Without waits, every delay is even. */
function timesOf({ instance, mayWait }: Query, later: readonly number[]): number[] {
  return instance.agents.map((_, agent) => {
    const steps = later[agent] as number;
    return terrain.distance(agent) + (mayWait ? steps : steps - (steps % 2));
  });
}

const isWithin = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((arrival, agent) => arrival <= (other[agent] as number));

describe('answers', () => {
  it.each([
    ['two', queries(2, [3, 4]), 300],
    ['three', queries(3, [3]), 250],
    ['four', queries(4, [3]), 60],
  ])(
    'are yes with paths if all can arrive in time, and otherwise lead to all possible questions: %s agents',
    (_, given, numRuns) => {
      fc.assert(
        fc.property(given, (question) => {
          const { instance, mayWait } = question;
          const members = [...instance.agents.keys()];
          const can = (times: readonly number[]): boolean => canArrive(instance, members, times, mayWait);
          terrain.load(instance);
          const asking = answers[mayWait ? 1 : 0];
          asking.begin(slack);
          const questions = question.later.map((later) => timesOf(question, later));
          for (const arrivals of questions) {
            const answer = asking.to(arrivals, enough);
            expect(answer === 'yes').toBe(can(arrivals));
            if (answer === 'spent') throw new Error('the effort should be enough');
            if (answer === 'yes') {
              const ways = members.map((agent) => asking.ways.way(agent));
              const plan = ways.map((way) => movesOf(way, instance.size));
              expect(judge(instance, plan).outcome).toBe('valid');
              for (const [agent, way] of ways.entries())
                expect(way.length - 1).toBeLessThanOrEqual(arrivals[agent] ?? -1);
              if (!mayWait) expect(plan.join('')).not.toContain('W');
              continue;
            }
            for (const next of answer) expect(isWithin(arrivals, next) && !isWithin(next, arrivals)).toBe(true);
            for (const other of [
              ...questions,
              timesOf(
                question,
                members.map(() => slack),
              ),
            ]) {
              if (!isWithin(arrivals, other) || !can(other)) continue;
              expect(answer.some((next) => isWithin(next, other))).toBe(true);
            }
          }
        }),
        { numRuns: tries(numRuns) },
      );
    },
  );

  it('stop when the work limit is reached', () => {
    const instance = fc.sample(allKinds({ agents: 3, sizes: [4] }), { numRuns: 1, seed: 3 })[0] as Instance;
    terrain.load(instance);
    const asking = answers[1];
    asking.begin(Number.POSITIVE_INFINITY);
    expect(asking.to([4, 4, 4], -1)).toBe('spent');
  });
});
