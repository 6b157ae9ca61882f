import fc from 'fast-check';
import { policyContract } from 'icecore/testing';
import { describe, expect, it } from 'vitest';
import { listed } from '../src/lab/environments/contract/tasks.ts';
import type { Task } from '../src/lab/environments/environment.ts';
import type { Policy } from '../src/lab/policies/policy.ts';
import { horizonOf, type Instance } from './lake/instance.ts';
import { judge } from './lake/judge.ts';
import { lineOf } from './lake/line.ts';
import { Solver } from './lake/solver/solver.ts';
import { instances } from './lake/testing/arbitraries.ts';
import { lake, rule } from './plugin.ts';
import { greedyPolicy, optimalPolicy, randomPolicy } from './scripted.ts';

policyContract(rule('random'), { on: lake, draws: 'others', knowsBest: false, many: 500 });
policyContract(rule('greedy'), { on: lake, draws: 'others', knowsBest: true, many: 500 });
policyContract(rule('optimal'), { on: lake, draws: 'same', knowsBest: true, many: 500 });

function taskOf(lake: Instance): Task {
  return { id: 'any', family: String(lake.size), instance: { ...lineOf(lake) }, facts: {} };
}

async function planFor(policy: Policy, lake: Instance, greedy: boolean): Promise<readonly string[] | null> {
  const [planned] = await listed(policy.plan({ tasks: [taskOf(lake)], seed: 'any', greedy }));
  return planned?.answer as readonly string[] | null;
}

/** The same lake with one agent on it. */
function alone(lake: Instance, agent: number): Instance {
  return { ...lake, agents: lake.agents.slice(agent, agent + 1) };
}

const lakes = instances({ largest: 8, agents: 4, hasId: false });
const solver = new Solver();

describe('the random policy', () => {
  it('moves each agent until it is on its goal, up to the horizon', async () => {
    await fc.assert(
      fc.asyncProperty(lakes, async (lake) => {
        const plan = await planFor(randomPolicy(), lake, false);
        for (const [i, moves] of plan?.entries() ?? []) {
          expect(moves).toMatch(/^[UDLRW]*$/);
          expect(moves.length).toBeLessThanOrEqual(horizonOf(lake.size));
          const { outcome } = judge(alone({ ...lake, holes: lake.holes.map(() => 0) }, i), [moves], false);
          if (moves.length < horizonOf(lake.size)) expect(outcome).toMatch(/^(valid|off-grid)$/);
        }
      }),
    );
  });
});

describe('the greedy policy', () => {
  it.each([true, false])(
    'moves every agent on its path of minimal cost if there is one (greedy: %s)',
    async (greedy) => {
      await fc.assert(
        fc.asyncProperty(lakes, async (lake) => {
          const plan = await planFor(greedyPolicy(), lake, greedy);
          for (const [i, moves] of plan?.entries() ?? []) {
            const least = solver.solve(alone(lake, i));
            if (least.solvable !== true) expect(moves).toBe('');
            else expect(judge(alone(lake, i), [moves], false)).toMatchObject({ outcome: 'valid', cost: least.cost });
          }
        }),
      );
    },
  );
});

describe('the optimal policy', () => {
  it('has minimal cost, and no answer if there is no plan', async () => {
    await fc.assert(
      fc.asyncProperty(lakes, async (lake) => {
        const plan = await planFor(optimalPolicy(), lake, false);
        const least = solver.solve(lake);
        if (least.solvable !== true) expect(plan).toBe(null);
        else expect(judge(lake, plan, false)).toMatchObject({ outcome: 'valid', cost: least.cost });
      }),
    );
  });
});
