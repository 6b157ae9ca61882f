// What `icecore lake bench` does: measures the lake on this machine, shape by shape.
import { cpus } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { LakeBench, LakeMeasured } from '../../../schemas/lake-output.ts';
import { type Column, table } from '../../analysis/document/layout.ts';
import { count } from '../../base/quantity.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { measure, type Shape } from './measuring.ts';

export interface BenchOptions {
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
