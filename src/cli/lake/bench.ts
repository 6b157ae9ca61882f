// What `icecore lake bench` does: measures solving, judging and generating of random instances on this machine. An instance that
// is too hard for the solver counts; one without a plan is replaced.

import { cpus } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { LakeBench, LakeMeasured } from '../../../schemas/lake-output.ts';
import { checkLake, type LakeConfiguration, startConfiguration } from '../../../testbed/lake/configuration.ts';
import { Draw } from '../../../testbed/lake/generator/maker.ts';
import type { Instance } from '../../../testbed/lake/instance.ts';
import { judge } from '../../../testbed/lake/judge.ts';
import type { Plan } from '../../../testbed/lake/plan.ts';
import { Solver } from '../../../testbed/lake/solver/solver.ts';
import { generation } from '../../../testbed/lake/workers/generation.ts';
import { count } from '../../base/quantity.ts';
import { type Column, table } from '../../document/layout.ts';
import { Random } from '../../lab/random.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';

interface Shape {
  readonly size: number;
  readonly agents: number;
}

interface Wanted {
  /** Lakes to solve. */
  readonly count: number;
  readonly seed: string;
  readonly signal: AbortSignal;
  /** Called between lakes, for whoever wants to be heard; throws to stop. */
  pause(solved: number): Promise<void>;
}

const warmUp = 200;
/** In milliseconds: long enough to measure a rate, for what is quick anyway. */
const judgingTakes = 100;
const generatingTakes = 1000;
/** Some kinds hardly exist. */
const measuringPatience = 5000;

async function measure(shape: Shape, wanted: Wanted): Promise<LakeMeasured> {
  await solved(shape, { ...wanted, count: Math.min(warmUp, wanted.count), seed: `${wanted.seed}, warming up` });
  const { times, undecided, tasks } = await solved(shape, wanted);
  const total = times.reduce((sum, ms) => sum + ms, 0);
  times.sort();
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  const judgedRate = judged(tasks);
  const generatedRate = await generated(shape, wanted);
  return {
    ...shape,
    lakes: times.length,
    solvedPerSecond: rounded((1000 * times.length) / total),
    medianMs: rounded(at(0.5)),
    p99Ms: rounded(at(0.99)),
    worstMs: rounded(at(1)),
    undecided,
    judgedStepsPerSecond: rounded(judgedRate),
    generatedPerSecond: generatedRate === null ? null : rounded(generatedRate),
  };
}

interface Task {
  readonly lake: Instance;
  readonly plan: Plan;
}

interface Solved {
  /** In milliseconds. */
  readonly times: Float64Array;
  readonly undecided: number;
  readonly tasks: readonly Task[];
}

async function solved(shape: Shape, { count, seed, pause }: Wanted): Promise<Solved> {
  const random = new Random(seed, 'lake bench', shape.size, shape.agents);
  const solver = new Solver();
  const times = new Float64Array(count);
  const tasks: Task[] = [];
  let undecided = 0;
  for (let done = 0; done < count; ) {
    const lake = randomLake(shape, random);
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

function randomLake({ size, agents }: Shape, random: Random): Instance {
  const fewest = Math.ceil(0.15 * size ** 2);
  const most = Math.floor(0.25 * size ** 2);
  const holes = fewest + random.below(most - fewest + 1);
  return new Draw({ size, agents, holes, needsWait: false }).instance(random);
}

/** Agent-steps a second, over and over the same plans. */
function judged(tasks: readonly Task[]): number {
  if (tasks.length === 0) return 0;
  const begun = performance.now();
  let steps = 0;
  let took = 0;
  while (took < judgingTakes) {
    for (const { lake, plan } of tasks) steps += judge(lake, plan).steps * lake.agents.length;
    took = performance.now() - begun;
  }
  return (1000 * steps) / took;
}

/** Instances a second to train on, a fifth holes, a quarter of them with a wait; null where the generator makes none such. */
async function generated({ size, agents }: Shape, { count, seed, signal }: Wanted): Promise<number | null> {
  const sizes = { ...noShares(), [size]: { data: 1, hole: 0.2, wait: agents === 1 ? 0 : 0.25 } };
  const configuration = { agents, sizes };
  if (checkLake(configuration).length > 0) return null;
  const request = { kind: 'configuration', configuration, count, split: 'train', seed } as const;
  const begun = performance.now();
  let first = { at: begun, made: 0 };
  let last = first;
  try {
    for await (const lines of generation(
      { request, jobs: 1 },
      AbortSignal.any([signal, AbortSignal.timeout(measuringPatience)]),
    )) {
      last = { at: performance.now(), made: last.made + lines.length };
      // From then on it is at work: it takes a while to start.
      if (first.made === 0) first = last;
      if (last.at - first.at > generatingTakes) break;
    }
  } catch {
    signal.throwIfAborted();
  }
  if (last.made > first.made) return (1000 * (last.made - first.made)) / (last.at - first.at);
  return last.made === 0 ? 0 : (1000 * last.made) / (last.at - begun);
}

function noShares(): LakeConfiguration['sizes'] {
  const sizes = Object.entries(startConfiguration.sizes).map(([size, knobs]) => [size, { ...knobs, data: 0 }] as const);
  return Object.fromEntries(sizes);
}

function rounded(number: number): number {
  return Number(number.toPrecision(4));
}

interface BenchOptions {
  readonly sizes: readonly number[];
  readonly agents: readonly number[];
  readonly count: number;
  readonly seed: string;
}

/** In milliseconds: how long signals may have to wait. */
const patience = 50;

export async function bench(context: Context, options: BenchOptions): Promise<number> {
  const shapes = shapesOf(options);
  const { count: lakes } = options;
  const rows: LakeMeasured[] = [];
  const progress = new Progress(context, 'lakes');
  let heard = performance.now();
  const pause = async (solved: number): Promise<void> => {
    if (performance.now() - heard < patience) return;
    await progress.update({ done: rows.length * lakes + solved, of: shapes.length * lakes });
    await setImmediate();
    context.signal.throwIfAborted();
    heard = performance.now();
  };
  try {
    for (const shape of shapes)
      rows.push(await measure(shape, { count: lakes, seed: options.seed, signal: context.signal, pause }));
  } finally {
    await progress.end();
  }
  if (context.flags.json) await context.printJson(result(rows, shapes.length, options.seed));
  else await context.print(table(columns, rows.map(cells), context.io.stdout));
  return 0;
}

function shapesOf({ sizes, agents }: BenchOptions): readonly Shape[] {
  const shapes = sizes.flatMap((size) => agents.map((number) => ({ size, agents: number })));
  const full = shapes.find((shape) => shape.agents > 0.6 * shape.size ** 2);
  if (full === undefined) return shapes;
  throw new IcecoreError('usage', `${full.agents} agents on ${full.size}x${full.size}: there is no room for them`, {
    facts: { field: '--agents', found: full.agents },
    remedy: 'At most six cells in ten may have an agent.',
  });
}

function result(rows: LakeMeasured[], total: number, seed: string): LakeBench {
  const [cpu] = cpus();
  return {
    as_of: new Date().toISOString(),
    total,
    rows,
    truncated: false,
    seed,
    machine: { cpu: cpu?.model ?? 'unknown', node: process.versions.node },
  };
}

const right = (title: string): Column => ({ title, align: 'right' });

const columns: readonly Column[] = [
  right('size'),
  right('agents'),
  right('solved/s'),
  right('median'),
  right('p99'),
  right('worst'),
  right('undecided'),
  right('judged agent-steps/s'),
  right('generated/s'),
];

function cells(row: LakeMeasured): readonly string[] {
  return [
    `${row.size}x${row.size}`,
    count(row.agents),
    count(row.solvedPerSecond),
    latency(row.medianMs),
    latency(row.p99Ms),
    latency(row.worstMs),
    count(row.undecided),
    count(row.judgedStepsPerSecond),
    row.generatedPerSecond === null ? '-' : count(row.generatedPerSecond),
  ];
}

function latency(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} us`;
  return ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : `${(ms / 1000).toFixed(2)} s`;
}
