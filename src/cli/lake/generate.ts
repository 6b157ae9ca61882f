// What `icecore lake generate` does: writes instances as they are made, and says what could not be met.
import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { LakeSuites } from '../../../schemas/lake-output.ts';
import { table } from '../../analysis/document/layout.ts';
import { count } from '../../base/quantity.ts';
import { suites } from '../../lab/lake/generator/suites.ts';
import { generation } from '../../lab/lake/workers/generation.ts';
import { countOf, type GenerateRequest } from '../../lab/lake/workers/pool.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { type RequestOptions, requestOf } from './request.ts';
import { type Outcome, tellShortages, worthTelling, writeReport } from './shortages.ts';

export interface GenerateOptions extends RequestOptions {
  readonly suites?: true;
  readonly report?: string;
  readonly jobs?: number;
}

export async function generate(context: Context, options: GenerateOptions): Promise<number> {
  if (options.suites === true) return await listSuites(context, options);
  const request = requestOf(context, options);
  const report = options.report === undefined ? null : resolve(context.io.cwd, options.report);
  // Better now than when all is made.
  if (report !== null) accessSync(dirname(report), constants.W_OK);
  const outcome = await made(context, request, options.jobs ?? availableParallelism());
  if (report !== null) writeReport(report, outcome);
  await tellShortages(context, outcome);
  return 0;
}

async function made(context: Context, request: GenerateRequest, jobs: number): Promise<Outcome> {
  const { stdout } = context.io;
  const asked = countOf(request);
  const progress = new Progress(context, 'instances');
  const lines = generation({ request, jobs }, context.signal);
  let written = 0;
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) return { asked, made: written, shortages: worthTelling(request, next.value) };
      await stdout.write(next.value.map((line) => `${line}\n`).join(''));
      written += next.value.length;
      // In a pipe, it would stand in the way of what is said at its other end.
      if (stdout.isFile) await progress.update({ done: written, of: asked });
    }
  } finally {
    await lines.return([]);
    await progress.end();
  }
}

const others = ['config', 'agents', 'count', 'seed', 'split', 'probe', 'suite', 'report', 'jobs'] as const;

async function listSuites(context: Context, options: GenerateOptions): Promise<number> {
  const other = others.find((option) => options[option] !== undefined);
  if (other !== undefined) {
    throw new IcecoreError('usage', `lake generate: --suites and --${other}: --suites lists what there is`, {
      facts: { command: 'lake generate' },
      remedy: 'To generate one, name it: --suite NAME.',
    });
  }
  const rows = suites.map(({ name, agents, wait, sizes, perSize, seed }) => ({
    name,
    agents,
    wait,
    sizes: [...sizes],
    perSize,
    instances: sizes.length * perSize,
    seed,
  }));
  if (context.flags.json) {
    const list: LakeSuites = { as_of: new Date().toISOString(), total: rows.length, rows, truncated: false };
    await context.printJson(list);
  } else {
    const cells = rows.map(({ name, agents, wait, sizes, perSize, instances }) => [
      name,
      count(agents),
      `${100 * wait} %`,
      `${sizes[0]} to ${sizes.at(-1)}`,
      count(perSize),
      count(instances),
    ]);
    await context.print(table(suiteColumns, cells, context.io.stdout));
  }
  return 0;
}

const suiteColumns = [
  { title: 'suite' },
  { title: 'agents', align: 'right' },
  { title: 'with a wait', align: 'right' },
  { title: 'sizes' },
  { title: 'of each', align: 'right' },
  { title: 'instances', align: 'right' },
] as const;
