// Judging: agent steps per second, counting executed steps only, for plans as policies make them: optimal, optimal except for one move, and
// random.

import { Random } from '../../src/lab/random.ts';
import type { Instance } from '../../testbed/lake/instance.ts';
import { judge } from '../../testbed/lake/judge.ts';
import { moveLetters, type Plan } from '../../testbed/lake/plan.ts';
import { Solver } from '../../testbed/lake/solver/solver.ts';
import { type Done, sideBySide } from '../measure.ts';
import type { Line, Report } from '../report.ts';
import { lakeCount, lakesOf, type Shape, shapeName, shapes } from './lakes.ts';

const rounds = 5;
const target = 1_000_000;
const seed = 'icecore-bench-plans-1';
/** Enough for a tenth of a second. */
const agentStepsAtLeast = 1_000_000;

interface Task {
  readonly lake: Instance;
  readonly plan: Plan;
}

export async function judgeBench(): Promise<Report[]> {
  const lines: Line[] = [];
  const rates: Record<string, number>[] = [];
  for (const shape of shapes) {
    const kinds = tasksOf(shape);
    for (const tasks of Object.values(kinds)) judgeAll(tasks);
    const contenders = Object.entries(kinds).map(([name, tasks]) => ({ name, run: () => judgeAll(tasks) }));
    const measured = await sideBySide(contenders, rounds);
    for (const { name, perSecond } of measured) lines.push(lineOf(`${shapeName(shape)}, ${name}`, perSecond));
    rates.push({ ...shape, ...Object.fromEntries(measured.map(({ name, perSecond }) => [name, perSecond])) });
  }
  const title = `judging, agent-steps/s, the median of ${rounds} rounds`;
  return [{ title, lines, data: { rounds, rates } }];
}

function lineOf(what: string, rate: number): Line {
  const [value, least] = [rate, target].map((each) => `${each.toLocaleString('en')}/s`) as [string, string];
  return { what, value, target: `at least ${least}`, met: rate >= target };
}

function tasksOf(shape: Shape): Record<string, readonly Task[]> {
  const random = new Random(seed, 'plan', shape.size, shape.agents);
  const solver = new Solver();
  const valid = lakesOf(shape, lakeCount, 'measured').flatMap((lake): Task[] => {
    const solution = solver.solve(lake);
    return solution.solvable === true ? [{ lake, plan: solution.plan }] : [];
  });
  const failing = (change: (plan: Plan) => Plan): Task[] =>
    valid
      .map(({ lake, plan }) => ({ lake, plan: change(plan) }))
      .filter(({ lake, plan }) => judge(lake, plan).outcome !== 'valid');
  return {
    valid,
    'one wrong move': failing((plan) => withOneMoveChanged(plan, random)),
    'random moves': failing((plan) => plan.map((moves) => randomMoves(moves.length, random))),
  };
}

function withOneMoveChanged(plan: Plan, random: Random): Plan {
  const agent = random.below(plan.length);
  const moves = plan[agent] ?? '';
  const at = random.below(moves.length);
  return plan.with(agent, moves.slice(0, at) + randomMoves(1, random) + moves.slice(at + 1));
}

function randomMoves(length: number, random: Random): string {
  return Array.from({ length }, () => moveLetters[random.below(moveLetters.length)]).join('');
}

/** All tasks, repeatedly. */
function judgeAll(tasks: readonly Task[]): Done {
  let units = 0;
  const started = performance.now();
  while (units < agentStepsAtLeast) {
    for (const { lake, plan } of tasks) units += judge(lake, plan).steps * lake.agents.length;
  }
  return { units, milliseconds: performance.now() - started };
}
