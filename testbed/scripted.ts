// Rule-based policies, whose plans depend on the lake and random numbers only. They are reference points for trained policies: random is the
// lower bound, greedy shows the effect of ignoring other agents, optimal is the upper bound.
import {
  abortable,
  type Planned,
  type PlanRequest,
  type Policy,
  PolicyClosed,
  Random,
  taskDigest,
} from '../src/library/plugins/tools.ts';
import { type Agent, type Cell, horizonOf, type Instance, nowhere } from './lake/instance.ts';
import { type Moves, moveFrom, moveLetters } from './lake/plan.ts';
import { Solver } from './lake/solver/solver.ts';
import { Terrain, unreachable } from './lake/solver/terrain.ts';
import { lakeOf } from './lake/tasks.ts';

/** Plans for one lake: randomised, or the best it can do. */
type Rule = (lake: Instance, random: Random, greedy: boolean) => Omit<Planned, 'task' | 'sample'>;

/** A rule as a policy. */
function scripted(name: string, rule: Rule): Policy {
  const closing = new AbortController();
  return {
    component: { name, version: '1' },
    checkpoint: null,

    async *plan({ tasks, samples = 1, greedy = false, seed, signal }: PlanRequest) {
      closing.signal.throwIfAborted();
      for await (const task of abortable(tasks, signal, closing.signal)) {
        const lake = lakeOf(task);
        for (let sample = 0; sample < samples; sample++) {
          const random = new Random(seed, 'policy', name, taskDigest(task), sample);
          yield { task, sample, ...rule(lake, random, greedy) };
          signal?.throwIfAborted();
          closing.signal.throwIfAborted();
        }
      }
    },

    close: async () => {
      closing.abort(new PolicyClosed(name));
    },
  };
}

// The lower bound: every agent moves at random, also into holes or off the grid, until it happens to be on its goal or reaches the limit.
// This is how an untrained network behaves.

const choices = moveLetters.length;

/** All moves are equal to it, so a greedy plan is sampled as well. */
export function randomPolicy(): Policy {
  const policy = scripted('random', (lake, random) => {
    const answer = lake.agents.map((agent) => walk(agent, lake, random));
    const agentSteps = answer.reduce((sum, { length }) => sum + length, 0);
    return { answer, agentSteps, sureness: { logProbability: -Math.log(choices), entropy: Math.log(choices) } };
  });
  return { ...policy, canBeGreedy: false };
}

function walk({ start, goal }: Agent, { size }: Instance, random: Random): Moves {
  const longest = horizonOf(size);
  let moves = '';
  for (let at = start; at !== goal && moves.length < longest; ) {
    const move = random.below(choices);
    moves += moveLetters[move];
    const next = moveFrom(at, moveLetters.charCodeAt(move), size);
    if (next !== nowhere) at = next;
  }
  return moves;
}

// Ignores other agents: every agent takes a shortest path around the holes to its goal, chosen at random among several.

/** Greedy plans take the first of several moves in the order of the letters. An agent without a path stays. */
export function greedyPolicy(): Policy {
  const terrain = new Terrain();
  return scripted('greedy', (lake, random, greedy) => {
    terrain.load(lake);
    const answer = lake.agents.map(({ start }, agent) => descent(terrain, agent, start, greedy ? null : random));
    return { answer, agentSteps: answer.reduce((sum, { length }) => sum + length, 0) };
  });
}

function descent(terrain: Terrain, agent: number, start: Cell, random: Random | null): Moves {
  const { toGoal, cells, neighbours } = terrain;
  const distance = (cell: Cell): number => toGoal[agent * cells + cell] as number;
  if (distance(start) === unreachable) return '';
  let moves = '';
  for (let at = start; distance(at) > 0; ) {
    const nearer = [0, 1, 2, 3].filter((move) => {
      const next = neighbours[4 * at + move] as Cell;
      return next >= 0 && distance(next) < distance(at);
    });
    const move = nearer[random === null ? 0 : random.below(nearer.length)] as number;
    moves += moveLetters[move];
    at = neighbours[4 * at + move] as Cell;
  }
  return moves;
}

// The upper bound: a plan of minimal cost.

/** A lake without a plan, or whose plan is not found with the default effort, has no answer. */
export function optimalPolicy(): Policy {
  const solver = new Solver();
  return scripted('optimal', (lake) => {
    const solution = solver.solve(lake);
    if (solution.solvable !== true) return { answer: null };
    return { answer: solution.plan, agentSteps: solution.plan.reduce((sum, { length }) => sum + length, 0) };
  });
}

/** By name. To add a policy, add a function and a line here. */
export const scriptedPolicies = {
  random: randomPolicy,
  greedy: greedyPolicy,
  optimal: optimalPolicy,
} as const satisfies Readonly<Record<string, () => Policy>>;
