// What `icecore lake generate` does: writes instances as they are made, and reports what could not be met.

import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isObject, parseJson } from '../../../schemas/json-text.ts';
import type { LakeReport, LakeSuites } from '../../../schemas/lake-output.ts';
import {
  checkLake,
  descriptor,
  type LakeConfiguration,
  startConfiguration,
} from '../../../testbed/lake/configuration.ts';
import type { LakeShortage } from '../../../testbed/lake/generator/generate.ts';
import { suiteNamed, suites } from '../../../testbed/lake/generator/suites.ts';
import { generation } from '../../../testbed/lake/workers/generation.ts';
import { countOf, type GenerateRequest } from '../../../testbed/lake/workers/pool.ts';
import { jsonText } from '../../base/printable-json.ts';
import { count, counted } from '../../base/quantity.ts';
import { type Column, table } from '../../document/layout.ts';
import { withEveryFamily } from '../../lab/environments/configuration.ts';
import { UnknownSuite } from '../../lab/environments/environment.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import type { Context } from '../context.ts';
import type { splits } from '../lake-options.ts';
import { Progress } from '../output/progress.ts';

type Split = (typeof splits)[number];

export interface RequestOptions {
  readonly config?: string;
  readonly agents?: number;
  readonly count?: number;
  readonly seed?: string;
  readonly split?: Split;
  readonly probe?: true;
  readonly suite?: string;
}

const defaults = { count: 100, perKind: 4, seed: 'icecore' } as const;

export function requestOf(context: Context, options: RequestOptions): GenerateRequest {
  if (options.suite !== undefined) return suiteRequest(options, options.suite);
  const configuration = configurationOf(context, options);
  const seed = options.seed ?? defaults.seed;
  if (options.probe !== true) {
    return {
      kind: 'configuration',
      configuration,
      count: options.count ?? defaults.count,
      split: options.split ?? 'train',
      seed,
    };
  }
  const { split = 'probe' } = options;
  if (split !== 'probe' && split !== 'probe-holdout') throw noProbe(split);
  return { kind: 'probe', agents: configuration.agents, perKind: options.count ?? defaults.perKind, split, seed };
}

/** A suite is the same for everybody: nothing about it can be chosen. */
function suiteRequest(options: RequestOptions, name: string): GenerateRequest {
  const chosen = (['config', 'agents', 'count', 'seed', 'split', 'probe'] as const).find(
    (option) => options[option] !== undefined,
  );
  if (chosen !== undefined) {
    throw new IcecoreError('usage', `lake generate: --suite and --${chosen}: a suite is the same for everybody`, {
      facts: { command: 'lake generate' },
      remedy: `Leave --${chosen} out. A smaller suite is called like ${suites[0]?.name}-of-10.`,
    });
  }
  const suite = suiteNamed(name);
  if (suite !== null) return { kind: 'suite', suite };
  const known = suites.map((one) => one.name);
  throw new UnknownSuite('lake', name, known);
}

function noProbe(split: Split): IcecoreError {
  return new IcecoreError('usage', `--split: found "${split}" with --probe, allowed: probe, probe-holdout`, {
    facts: { field: '--split', found: split, allowed: ['probe', 'probe-holdout'] },
  });
}

export function configurationOf(context: Context, { config, agents }: RequestOptions): LakeConfiguration {
  const given: unknown = config === undefined ? startConfiguration : fromFile(resolve(context.io.cwd, config), config);
  const configuration = isObject(given)
    ? {
        ...withEveryFamily(descriptor, given, { ...startConfiguration }),
        ...(agents === undefined ? {} : { agents }),
      }
    : given;
  const [issue, ...more] = checkLake(configuration);
  if (issue === undefined) return configuration as LakeConfiguration;
  const where = [config ?? 'the configuration', ...(issue.field === '' ? [] : [issue.field])].join(': ');
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new IcecoreError(
    config === undefined ? 'usage' : 'bad-input',
    `${where}: found ${issue.found}, allowed: ${issue.allowed}${others}`,
    { facts: { ...issue, issues: [issue, ...more] } },
  );
}

function fromFile(path: string, name: string): unknown {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  try {
    return parseJson(text);
  } catch {
    const { line, column, found, allowed } = findJsonFault(text);
    throw new IcecoreError(
      'bad-input',
      `${name}: line ${line}, column ${column}: found ${found}, allowed: ${allowed}`,
      {
        facts: { path, line, column, found, allowed },
      },
    );
  }
}

/** Which holes an instance has is left to a suite: where others stand in, nothing is missing. */
export function worthTelling(request: GenerateRequest, shortages: readonly LakeShortage[]): readonly LakeShortage[] {
  if (request.kind !== 'suite') return shortages;
  return shortages.filter(({ asked, achieved, replaced }) => achieved + replaced < asked);
}

interface Outcome {
  readonly asked: number;
  readonly made: number;
  readonly shortages: readonly LakeShortage[];
}

async function tellShortages(context: Context, { asked, made, shortages }: Outcome): Promise<void> {
  if (shortages.length === 0 || context.flags.quiet) return;
  const missing = asked - made;
  const first =
    missing > 0
      ? `${count(made)} of ${counted(asked, 'instance')} were made; of these kinds there are no more:`
      : 'of these kinds there are no more; others stand in for them:';
  const { stderr } = context.io;
  await stderr.write(`${first}\n${table(columns, shortages.map(cells), stderr)}`);
}

const right = (title: string): Column => ({ title, align: 'right' });

const columns: readonly Column[] = [
  right('size'),
  right('agents'),
  right('holes'),
  { title: 'wait' },
  right('asked'),
  right('made'),
  right('stand-ins'),
  { title: 'why', wraps: true },
];

function cells({ kind, asked, achieved, replaced, says }: LakeShortage): readonly string[] {
  const { size, agents, holes, needsWait } = kind;
  const numbers = [asked, achieved, replaced].map(count);
  return [`${size}x${size}`, count(agents), count(holes), needsWait ? 'yes' : 'no', ...numbers, says];
}

function writeReport(path: string, { asked, made, shortages }: Outcome): void {
  const report: LakeReport = {
    as_of: new Date().toISOString(),
    asked,
    made,
    total: shortages.length,
    rows: shortages.map(({ kind, asked: wanted, achieved, replaced, says }) => ({
      ...kind,
      asked: wanted,
      made: achieved,
      standIns: replaced,
      says,
    })),
    truncated: false,
  };
  writeFileSync(path, `${jsonText(report)}\n`);
}

interface GenerateOptions extends RequestOptions {
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
