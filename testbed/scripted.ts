// Policies that are rules: each plan follows from the lake and from luck of its own. They are what trained policies are
// held against: random is the floor, greedy what comes of nobody minding the others, optimal the ceiling.
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

/** What a rule makes of one lake: with luck, or the best it knows. */
type Rule = (lake: Instance, luck: Random, greedy: boolean) => Omit<Planned, 'task' | 'sample'>;

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
          const luck = new Random(seed, 'policy', name, taskDigest(task), sample);
          yield { task, sample, ...rule(lake, luck, greedy) };
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

// The floor: every agent walks at random, as likely into a hole or off the grid as anywhere else, until it happens to
// stand on its goal or may not walk any further. So walks a network that has learnt nothing.

const choices = moveLetters.length;

/** To it all moves are alike, so that a greedy plan is drawn like any other. */
export function randomPolicy(): Policy {
  const policy = scripted('random', (lake, luck) => {
    const answer = lake.agents.map((agent) => walk(agent, lake, luck));
    const agentSteps = answer.reduce((sum, { length }) => sum + length, 0);
    return { answer, agentSteps, sureness: { logProbability: -Math.log(choices), entropy: Math.log(choices) } };
  });
  return { ...policy, canBeGreedy: false };
}

function walk({ start, goal }: Agent, { size }: Instance, luck: Random): Moves {
  const longest = horizonOf(size);
  let moves = '';
  for (let at = start; at !== goal && moves.length < longest; ) {
    const move = luck.below(choices);
    moves += moveLetters[move];
    const next = moveFrom(at, moveLetters.charCodeAt(move), size);
    if (next !== nowhere) at = next;
  }
  return moves;
}

// What comes of nobody minding the others: every agent takes a shortest way round the holes to its own goal, one of them
// by luck where there are several.

/** Greedy plans take the first of several moves in the order of the letters. An agent that has no way stays. */
export function greedyPolicy(): Policy {
  const terrain = new Terrain();
  return scripted('greedy', (lake, luck, greedy) => {
    terrain.load(lake);
    const answer = lake.agents.map(({ start }, agent) => descent(terrain, agent, start, greedy ? null : luck));
    return { answer, agentSteps: answer.reduce((sum, { length }) => sum + length, 0) };
  });
}

function descent(terrain: Terrain, agent: number, start: Cell, luck: Random | null): Moves {
  const { toGoal, cells, neighbours } = terrain;
  const distance = (cell: Cell): number => toGoal[agent * cells + cell] as number;
  if (distance(start) === unreachable) return '';
  let moves = '';
  for (let at = start; distance(at) > 0; ) {
    const nearer = [0, 1, 2, 3].filter((move) => {
      const next = neighbours[4 * at + move] as Cell;
      return next >= 0 && distance(next) < distance(at);
    });
    const move = nearer[luck === null ? 0 : luck.below(nearer.length)] as number;
    moves += moveLetters[move];
    at = neighbours[4 * at + move] as Cell;
  }
  return moves;
}

// The ceiling: a plan of the least cost there is.

/** A lake that has no plan, or none that is found with the usual effort, has no answer. */
export function optimalPolicy(): Policy {
  const solver = new Solver();
  return scripted('optimal', (lake) => {
    const solution = solver.solve(lake);
    if (solution.solvable !== true) return { answer: null };
    return { answer: solution.plan, agentSteps: solution.plan.reduce((sum, { length }) => sum + length, 0) };
  });
}

/** By the names they are chosen by. To add one: a function, and a line here. */
export const scriptedPolicies = {
  random: randomPolicy,
  greedy: greedyPolicy,
  optimal: optimalPolicy,
} as const satisfies Readonly<Record<string, () => Policy>>;
