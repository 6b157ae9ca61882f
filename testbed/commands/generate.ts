// `icecore lake generate`: writes instances as they are generated, and reports what could not be met.
import { accessSync, constants, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { isObject } from '../../schemas/json-text.ts';
import type { LakeReport, LakeSuites } from '../../schemas/lake-output.ts';
import { type Document, paragraph, right, table } from '../../src/document/index.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  count,
  counted,
  forEachIn,
  jsonFileIn,
  jsonText,
  UnknownSuite,
  withEveryFamily,
} from '../../src/library/plugins/tools.ts';
import { checkLake, descriptor, type LakeConfiguration, startConfiguration } from '../lake/configuration.ts';
import type { LakeShortage } from '../lake/generator/generate.ts';
import { type SuiteLayout, suiteNamed, suites } from '../lake/generator/suites.ts';
import { generation } from '../lake/workers/generation.ts';
import { countOf, type GenerateRequest } from '../lake/workers/pool.ts';
import type { GenerateOptions } from './options.ts';

export async function requestOf(context: CommandContext, options: GenerateOptions): Promise<GenerateRequest> {
  const { suite, probe, count, seed = 'icecore', split = probe ? 'probe' : 'train' } = options;
  if (suite !== undefined) {
    refuseBeside(options, 'suite', ['config', 'agents', 'count', 'seed', 'split', 'probe'], {
      why: 'a suite is fixed',
      remedy: `Leave it out. A smaller edition has a name like ${suites[0]?.name}-of-10.`,
    });
    return { kind: 'suite', suite: knownSuite(suite) };
  }
  const configuration = await configurationOf(context, options);
  if (probe !== true) return { kind: 'configuration', configuration, count: count ?? 100, split, seed };
  if (split === 'probe' || split === 'probe-holdout')
    return { kind: 'probe', agents: configuration.agents, perKind: count ?? 4, split, seed };
  throw new IcecoreError('usage', `--split: found "${split}" with --probe, allowed: probe, probe-holdout`, {
    facts: { field: '--split', found: split, allowed: ['probe', 'probe-holdout'] },
  });
}

function refuseBeside(
  options: GenerateOptions,
  option: string,
  others: readonly (keyof GenerateOptions)[],
  { why, remedy }: { readonly why: string; readonly remedy: string },
): void {
  const other = others.find((name) => options[name] !== undefined);
  if (other === undefined) return;
  const facts = { command: 'lake generate' };
  throw new IcecoreError('usage', `lake generate: --${option} and --${other}: ${why}`, { facts, remedy });
}

/** Throws UnknownSuite. */
export function knownSuite(name: string): SuiteLayout {
  const suite = suiteNamed(name);
  if (suite !== null) return suite;
  const known = suites.map((one) => one.name);
  throw new UnknownSuite('lake', name, known);
}

export async function configurationOf(
  { io, signal }: CommandContext,
  { config, agents }: Pick<GenerateOptions, 'config' | 'agents'>,
): Promise<LakeConfiguration> {
  const given =
    config === undefined ? startConfiguration : await jsonFileIn(config, { cwd: io.cwd, signal }, '--config');
  const configuration = isObject(given)
    ? { ...withEveryFamily(descriptor, given, { ...startConfiguration }), ...(agents === undefined ? {} : { agents }) }
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

interface Outcome {
  readonly asked: number;
  readonly made: number;
  readonly shortages: readonly LakeShortage[];
}

export async function generate(context: CommandContext, options: GenerateOptions): Promise<number> {
  if (options.suites === true) return await listSuites(context, options);
  const request = await requestOf(context, options);
  const report = options.report === undefined ? null : resolve(context.io.cwd, options.report);
  // Fail before everything is generated.
  if (report !== null) accessSync(dirname(report), constants.W_OK);
  const outcome = await generated(context, request, options.jobs ?? availableParallelism());
  if (report !== null) writeFileSync(report, `${jsonText(reportOf(outcome))}\n`);
  if (outcome.shortages.length > 0) await context.say(shortagesDocument(outcome));
  return 0;
}

async function generated(context: CommandContext, request: GenerateRequest, jobs: number): Promise<Outcome> {
  const { stdout } = context.io;
  const asked = countOf(request);
  const progress = context.progress('instances');
  let made = 0;
  try {
    const shortages = await forEachIn(generation({ request, jobs }, context.signal), async (lines) => {
      await stdout.write(lines.map((line) => `${line}\n`).join(''));
      made += lines.length;
      // In a pipe, progress would interfere with the output of other commands.
      if (stdout.isFile) await progress.update({ done: made, of: asked });
    });
    return { asked, made, shortages: shortagesOf(request, shortages) };
  } finally {
    await progress.end();
  }
}

/** A suite may use other numbers of holes: an instance that was replaced is not missing. */
function shortagesOf({ kind }: GenerateRequest, shortages: readonly LakeShortage[]): readonly LakeShortage[] {
  return shortages.filter(({ asked, achieved, replaced }) => kind !== 'suite' || achieved + replaced < asked);
}

function reportOf({ asked, made, shortages }: Outcome): LakeReport {
  const rows = shortages.map(({ kind, asked: wanted, achieved, replaced, says }) => ({
    ...kind,
    ...{ asked: wanted, made: achieved, standIns: replaced, says },
  }));
  return { as_of: new Date().toISOString(), asked, made, total: rows.length, rows, truncated: false };
}

function shortagesDocument({ asked, made, shortages }: Outcome): Document {
  const first =
    made < asked
      ? `${count(made)} of ${counted(asked, 'instance')} were generated; no more of these kinds exist:`
      : 'no more of these kinds exist; others replace them:';
  const rows = table(shortages, [
    right('size', ({ kind: { size } }) => `${size}x${size}`),
    right('agents', ({ kind }) => count(kind.agents)),
    right('holes', ({ kind }) => count(kind.holes)),
    { title: 'wait', cell: ({ kind }) => (kind.needsWait ? 'yes' : 'no') },
    right('requested', (shortage) => count(shortage.asked)),
    right('generated', ({ achieved }) => count(achieved)),
    right('replaced', ({ replaced }) => count(replaced)),
    { title: 'why', wraps: true, cell: ({ says }) => says },
  ]);
  return { title: null, blocks: [paragraph(first), rows], sections: [] };
}

async function listSuites(context: CommandContext, options: GenerateOptions): Promise<number> {
  refuseBeside(options, 'suites', ['config', 'agents', 'count', 'seed', 'split', 'probe', 'suite', 'report', 'jobs'], {
    why: '--suites lists all suites',
    remedy: 'Generate one with --suite NAME.',
  });
  const rows = suites.map(({ name, agents, wait, sizes, perSize, seed }) => ({
    ...{ name, agents, wait, sizes: [...sizes], perSize, instances: sizes.length * perSize, seed },
  }));
  if (context.flags.json) {
    const list: LakeSuites = { as_of: new Date().toISOString(), total: rows.length, rows, truncated: false };
    await context.printJson(list);
    return 0;
  }
  const listed = table(rows, [
    { title: 'suite', cell: ({ name }) => name },
    right('agents', ({ agents }) => count(agents)),
    right('with a wait', ({ wait }) => `${100 * wait} %`),
    { title: 'sizes', cell: ({ sizes }) => `${sizes[0]} to ${sizes.at(-1)}` },
    right('of each', ({ perSize }) => count(perSize)),
    right('instances', ({ instances }) => count(instances)),
  ]);
  await context.print({ title: null, blocks: [listed], sections: [] });
  return 0;
}
