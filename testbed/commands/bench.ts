// `icecore lake bench`: measures solving, judging and generating of random instances on this machine. Instances that are too hard
// for the solver count; those without a plan are replaced.
import { cpus } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { IcecoreError } from '../../schemas/errors.ts';
import type { LakeBench, LakeMeasured } from '../../schemas/lake-output.ts';
import { right, table } from '../../src/document/index.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import { count, Random } from '../../src/library/plugins/tools.ts';
import { checkLake, startConfiguration } from '../lake/configuration.ts';
import { Draw } from '../lake/generator/maker.ts';
import type { Instance } from '../lake/instance.ts';
import { judge } from '../lake/judge.ts';
import type { Plan } from '../lake/plan.ts';
import { Solver } from '../lake/solver/solver.ts';
import { generation } from '../lake/workers/generation.ts';
import type { BenchOptions } from './options.ts';

interface Shape {
  readonly size: number;
  readonly agents: number;
}

interface Measuring {
  /** Number of lakes to solve. */
  readonly count: number;
  readonly seed: string;
  readonly signal: AbortSignal;
  /** Called between lakes; throws to stop. */
  pause(solved: number): Promise<void>;
}

const warmUp = 200;
/** In milliseconds: long enough to measure a rate. */
const judgingTakes = 100;
const generatingTakes = 1000;
/** Some kinds of instances are too rare to generate. */
const generatingLimit = 5000;
/** The longest that signals have to wait, in milliseconds. */
const pauseEvery = 50;

export async function bench(context: CommandContext, options: BenchOptions): Promise<number> {
  const { count: lakes, seed } = options;
  const { signal } = context;
  const shapes = shapesOf(options);
  const rows: LakeMeasured[] = [];
  const progress = context.progress('lakes');
  let paused = performance.now();
  const pause = async (solved: number): Promise<void> => {
    if (performance.now() - paused < pauseEvery) return;
    await progress.update({ done: rows.length * lakes + solved, of: shapes.length * lakes });
    await setImmediate();
    signal.throwIfAborted();
    paused = performance.now();
  };
  try {
    for (const shape of shapes) rows.push(await measureShape(shape, { count: lakes, seed, signal, pause }));
  } finally {
    await progress.end();
  }
  if (context.flags.json) {
    const machine = { cpu: cpus()[0]?.model ?? 'unknown', node: process.versions.node };
    const as_of = new Date().toISOString();
    await context.printJson({ as_of, total: rows.length, rows, truncated: false, seed, machine } satisfies LakeBench);
  } else await context.print({ title: null, blocks: [measuredTable(rows)], sections: [] });
  return 0;
}

function shapesOf({ sizes, agents }: BenchOptions): readonly Shape[] {
  const shapes = sizes.flatMap((size) => agents.map((number) => ({ size, agents: number })));
  const full = shapes.find((shape) => shape.agents > 0.6 * shape.size ** 2);
  if (full === undefined) return shapes;
  throw new IcecoreError('usage', `${full.agents} agents on ${full.size}x${full.size}: not enough room`, {
    facts: { field: '--agents', found: full.agents },
    remedy: 'At most 60 % of the cells can have an agent.',
  });
}

function measuredTable(rows: readonly LakeMeasured[]) {
  return table(rows, [
    right('size', ({ size }) => `${size}x${size}`),
    right('agents', ({ agents }) => count(agents)),
    right('solved/s', ({ solvedPerSecond }) => count(solvedPerSecond)),
    right('median', ({ medianMs }) => latency(medianMs)),
    right('p99', ({ p99Ms }) => latency(p99Ms)),
    right('worst', ({ worstMs }) => latency(worstMs)),
    right('undecided', ({ undecided }) => count(undecided)),
    right('judged agent-steps/s', ({ judgedStepsPerSecond }) => count(judgedStepsPerSecond)),
    right('generated/s', ({ generatedPerSecond: rate }) => (rate === null ? '-' : count(rate))),
  ]);
}

function latency(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} us`;
  return ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : `${(ms / 1000).toFixed(2)} s`;
}

async function measureShape(shape: Shape, measuring: Measuring): Promise<LakeMeasured> {
  const { count, seed } = measuring;
  await measureSolving(shape, { ...measuring, count: Math.min(warmUp, count), seed: `${seed}, warming up` });
  const { times, undecided, tasks } = await measureSolving(shape, measuring);
  const total = times.reduce((sum, ms) => sum + ms, 0);
  times.sort();
  const at = (share: number): number =>
    rounded(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0);
  const judgedStepsPerSecond = rounded(judgingRate(tasks));
  const generated = await generatingRate(shape, measuring);
  return {
    ...shape,
    lakes: times.length,
    solvedPerSecond: rounded((1000 * times.length) / total),
    ...{ medianMs: at(0.5), p99Ms: at(0.99), worstMs: at(1), undecided, judgedStepsPerSecond },
    generatedPerSecond: generated === null ? null : rounded(generated),
  };
}

function rounded(number: number): number {
  return Number(number.toPrecision(4));
}

interface Task {
  readonly lake: Instance;
  readonly plan: Plan;
}

/** Times are in milliseconds. */
async function measureSolving({ size, agents }: Shape, { count, seed, pause }: Measuring) {
  const random = new Random(seed, 'lake bench', size, agents);
  const fewest = Math.ceil(0.15 * size ** 2);
  const most = Math.floor(0.25 * size ** 2);
  const solver = new Solver();
  const times = new Float64Array(count);
  const tasks: Task[] = [];
  let undecided = 0;
  for (let done = 0; done < count; ) {
    const holes = fewest + random.below(most - fewest + 1);
    const lake = new Draw({ size, agents, holes, needsWait: false }).instance(random);
    const begun = performance.now();
    const solution = solver.solve(lake);
    const took = performance.now() - begun;
    if (solution.solvable !== false) times[done++] = took;
    if (solution.solvable === true) tasks.push({ lake, plan: solution.plan });
    if (solution.solvable === 'undecided') undecided++;
    await pause(done);
  }
  return { times, undecided, tasks };
}

/** Agent steps per second, judging the same plans repeatedly. */
function judgingRate(tasks: readonly Task[]): number {
  if (tasks.length === 0) return 0;
  const begun = performance.now();
  let [steps, took] = [0, 0];
  while (took < judgingTakes) {
    for (const { lake, plan } of tasks) steps += judge(lake, plan).steps * lake.agents.length;
    took = performance.now() - begun;
  }
  return (1000 * steps) / took;
}

/** Training instances per second, with 20 % holes, a quarter of them with a wait; null for sizes that the generator does not support. */
async function generatingRate({ size, agents }: Shape, { count, seed, signal }: Measuring): Promise<number | null> {
  const others = Object.entries(startConfiguration.sizes).map(([other, knobs]) => [other, { ...knobs, data: 0 }]);
  const own = { data: 1, hole: 0.2, wait: agents === 1 ? 0 : 0.25 };
  const configuration = { agents, sizes: { ...Object.fromEntries(others), [size]: own } };
  if (checkLake(configuration).length > 0) return null;
  const request = { kind: 'configuration', configuration, count, split: 'train', seed } as const;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(generatingLimit)]);
  const begun = performance.now();
  let first = { at: begun, made: 0 };
  let last = first;
  try {
    for await (const lines of generation({ request, jobs: 1 }, limit)) {
      last = { at: performance.now(), made: last.made + lines.length };
      // Exclude the start of the thread.
      if (first.made === 0) first = last;
      if (last.at - first.at > generatingTakes) break;
    }
  } catch {
    signal.throwIfAborted();
  }
  if (last.made > first.made) return (1000 * (last.made - first.made)) / (last.at - first.at);
  return last.made === 0 ? 0 : (1000 * last.made) / (last.at - begun);
}
