// What `icecore lake evaluate` and `icecore lake leaderboard` have in common: the lakes that policies plan for, one evaluation of a
// policy, and the rates that come of it.
import { basename } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { parseJson } from '../../schemas/json-text.ts';
import type { LakeFault, LakeMeasuredPace, LakeRate } from '../../schemas/lake-evaluation-output.ts';
import type { LakeGenerated } from '../../schemas/lake-output.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  type Achieved,
  count,
  counted,
  type Environment,
  type Evaluated,
  type Evaluation,
  forEachIn,
  type InputLine,
  isSpoilt,
  type NamedPolicy,
  openSource,
  type Pool,
  type Split,
  type Subject,
  type Task,
  type Verdict,
  wilson,
} from '../../src/library/plugins/tools.ts';
import { openLake } from '../lake/environment.ts';
import { poolOf } from '../lake/generator/maker.ts';
import { type SuiteLayout, suites } from '../lake/generator/suites.ts';
import { digestOf, type Instance, NotAnInstance, symmetryDigestOf } from '../lake/instance.ts';
import { instanceOf, type Line, lineOf } from '../lake/line.ts';
import { generation } from '../lake/workers/generation.ts';
import type { GenerateRequest } from '../lake/workers/pool.ts';
import { configurationOf, knownSuite } from './generate.ts';
import { faultIn, lakeLines } from './lines.ts';
import type { EvaluatingOptions } from './options.ts';

export interface Lakes {
  readonly environment: Environment;
  readonly subject: Subject;
  readonly count: number;
}

const fresh = ['config', 'agents', 'count', 'split'] as const;

/**
 * What is meant by the options; without any, all suites. Throws UnknownSuite and usage errors. What it returns makes or reads all lakes
 * before anybody plans for them, and throws where there is none.
 */
export function lakesFor(context: CommandContext, options: EvaluatingOptions, jobs: number): () => Promise<Lakes> {
  const { suite: names, lakes, split = 'validation', count = 100, seed = usualSeed } = options;
  const given = [
    ...(['suite', 'lakes'] as const).filter((option) => options[option] !== undefined),
    ...fresh.filter((option) => options[option] !== undefined).slice(0, 1),
  ].map((option) => `--${option}`);
  if (given.length > 1)
    throw new IcecoreError(
      'usage',
      `${given.join(' and ')}: a policy is evaluated on one of suites, fresh lakes, a file`,
      { facts: { found: given }, remedy: 'Leave all but one of them out.' },
    );
  if (lakes !== undefined) return () => lakesIn(context, lakes);
  if (given.length === 0 || names !== undefined) {
    const layouts = apart((names ?? suites.map(({ name }) => name)).map(knownSuite));
    return () => suiteLakes(context, layouts, jobs);
  }
  const request = {
    kind: 'configuration',
    configuration: configurationOf(context, options),
    count,
    split,
    seed,
  } as const;
  return () => freshLakes(context, request, jobs);
}

/** Lakes of two editions of a suite would count twice. */
function apart(layouts: readonly SuiteLayout[]): readonly SuiteLayout[] {
  const bySeed = new Map<string, SuiteLayout>();
  for (const layout of layouts) {
    const { name } = bySeed.get(layout.seed) ?? layout;
    const found = [name, layout.name];
    if (name !== layout.name)
      throw new IcecoreError(
        'usage',
        `--suite: ${layout.name} and ${name} have lakes in common, which would count twice`,
        {
          facts: { field: '--suite', found },
          remedy: 'Leave one of them out.',
        },
      );
    bySeed.set(layout.seed, layout);
  }
  return [...bySeed.values()];
}

/** Fewer lakes of each size than this are made sooner than threads are started. */
const worthThreads = 50;

async function suiteLakes(context: CommandContext, layouts: readonly SuiteLayout[], jobs: number): Promise<Lakes> {
  const lake = openLake();
  const progress = context.progress('lakes made');
  const of = layouts.reduce((sum, { sizes, perSize }) => sum + sizes.length * perSize, 0);
  const tasks = new Map<string, Task[]>(layouts.map(({ name }) => [name, []]));
  let made = 0;
  try {
    for (const suite of layouts) {
      const isSmall = suite.perSize < worthThreads;
      const own = isSmall
        ? lake.suite(suite.name, context.signal)
        : generatedLakes(context, { kind: 'suite', suite }, jobs);
      for await (const task of own) {
        tasks.get(suite.name)?.push(task);
        made += 1;
        await progress.update({ done: made, of });
      }
    }
  } finally {
    await progress.end();
  }
  const environment: Environment = {
    ...lake,
    async *suite(name: string) {
      yield* tasks.get(name) ?? [];
      return [];
    },
  };
  return { environment, subject: { suites: [...tasks.keys()] as [string, ...string[]] }, count: made };
}

async function freshLakes(
  context: CommandContext,
  request: Extract<GenerateRequest, { kind: 'configuration' }>,
  jobs: number,
): Promise<Lakes> {
  const { configuration, count, seed, split } = request;
  const tasks: Task[] = [];
  for await (const task of generatedLakes(context, request, jobs)) tasks.push(task);
  if (tasks.length === 0)
    throw new IcecoreError('bad-input', 'there are no lakes as they are asked for', {
      remedy: 'icecore lake generate with the same options says of which kinds there are none.',
    });
  if (tasks.length < count) await context.say(`${tasks.length} of ${counted(count, 'lake')} could be made`);
  return poolLakes({ name: split, split, tasks, parameters: { configuration, count, seed } });
}

function poolLakes(tasks: Pool & { readonly tasks: readonly Task[] }): Lakes {
  return { environment: openLake(), subject: { tasks }, count: tasks.tasks.length };
}

/** By a thread, so that it can be stopped also where lakes of a kind are hardly found. */
async function* generatedLakes(
  { signal }: CommandContext,
  request: GenerateRequest,
  jobs: number,
): AsyncGenerator<Task, void, undefined> {
  for await (const lines of generation({ request, jobs }, signal)) {
    for (const line of lines) {
      const { cost, needsWait, ...lake } = parseJson(line) as LakeGenerated;
      yield taskOf(lake, { needsWait, optimalCost: cost }, { needsWait });
    }
  }
}

function taskOf(
  { id, digest, ...instance }: Line & { readonly id: string; readonly digest: string },
  facts: Task['facts'] = {},
  conditions: Task['conditions'] = {},
): Task {
  const agents = instance.agents.length;
  return {
    ...{ id, family: String(instance.size), instance, digest },
    facts: { agents, holes: instance.holes.length, ...facts },
    conditions: { agents, ...conditions },
  };
}

/** Throws at the first line that is no lake, naming it. */
async function lakesIn(context: CommandContext, path: string): Promise<Lakes> {
  const source = await openSource(context, path, 'lakes, one a line,');
  const instances: Instance[] = [];
  try {
    for await (const lines of lakeLines(source))
      for (const input of lines) instances.push({ id: `line-${input.line}`, ...instanceIn(input, source.name) });
  } finally {
    source.close();
  }
  if (instances.length === 0)
    throw new IcecoreError(
      'bad-input',
      `${source.name}: found no lake, allowed: a lake a line, as icecore lake generate prints them`,
      { facts: { source: source.name } },
    );
  // What a line says of its optimum is not relied on: whether a plan is optimal is found out.
  const tasks = instances.map((instance) =>
    taskOf({ ...lineOf(instance), id: instance.id ?? '', digest: digestOf(instance) }),
  );
  const name = path === '-' ? source.name : basename(path);
  return poolLakes({ name, split: await splitOf(context, instances), tasks });
}

function instanceIn(input: InputLine, source: string): Instance {
  try {
    return instanceOf(parseJson(input.text));
  } catch (error) {
    const { message, kind, ...facts } = faultIn(input, error instanceof NotAnInstance ? error : null);
    throw new IcecoreError(kind, `${source}: ${message}`, { facts });
  }
}

/** The split that they belong to; a policy may know those that it was trained on. */
async function splitOf(context: CommandContext, instances: readonly Instance[]): Promise<Split> {
  const splits = instances.map((instance) => poolOf(symmetryDigestOf(instance)));
  const trained = splits.filter((split) => split === 'train').length;
  if (trained === 0) return splits[0] ?? 'validation';
  const are = trained === 1 ? 'is' : 'are';
  await context.say(`${trained} of ${counted(splits.length, 'lake')} ${are} of the pool that policies are trained on`);
  return 'train';
}

const usualSeed = 'icecore';

export interface Conditions {
  readonly samples: number;
  readonly greedy: boolean;
  readonly seed: string;
}

export function conditionsOf({ samples, sampled, seed = usualSeed }: EvaluatingOptions): Conditions {
  return { samples, greedy: sampled !== true, seed };
}

export interface Outcome {
  /** As the policy was named. */
  readonly name: string;
  readonly evaluation: Evaluation;
  readonly faults: readonly LakeFault[];
  readonly pace: LakeMeasuredPace;
  /** By lake. */
  readonly shares: Readonly<Record<Measure, readonly Achieved[]>>;
}

export async function evaluated(
  context: CommandContext,
  policy: NamedPolicy,
  { environment, subject, count: lakes }: Lakes,
  conditions: Conditions,
  onRollout: (rollout: Evaluated) => void = () => {},
): Promise<Outcome> {
  const { name } = policy;
  const { samples } = conditions;
  const progress = context.progress(`rollouts of ${name}`);
  const tries: Record<Measure, (boolean | null)[]> = { valid: [], optimal: [] };
  const faults = new Map<string, LakeFault>();
  const latencies: number[] = [];
  const begun = performance.now();
  let [done, agentSteps] = [0, 0];
  try {
    const rollouts = policy.evaluate(environment, { ...subject, ...conditions, signal: context.signal });
    const evaluation = await forEachIn(rollouts, async (rollout) => {
      const { planned, verdict } = rollout;
      done += 1;
      agentSteps += planned.agentSteps ?? 0;
      const latency = planned.measured?.['latencyMs'];
      if (typeof latency === 'number') latencies.push(latency);
      if (isSpoilt(verdict)) {
        const { kind, message } = verdict.spoilt;
        const { count = 0, says = message } = faults.get(kind) ?? {};
        faults.set(kind, { kind, count: count + 1, says });
      }
      for (const measure of measures) tries[measure].push(judgedAs(measure, verdict));
      onRollout(rollout);
      await progress.update({ done, of: lakes * samples });
    });
    return {
      ...{ name, evaluation, faults: [...faults.values()].sort((a, b) => b.count - a.count) },
      pace: paceOf({ seconds: (performance.now() - begun) / 1000, rollouts: done, agentSteps, latencies }),
      shares: { valid: sharesOf(tries.valid, samples), optimal: sharesOf(tries.optimal, samples) },
    };
  } finally {
    await progress.end();
  }
}

/** Null where it could not be judged. */
function judgedAs(measure: Measure, verdict: Verdict): boolean | null {
  if (isSpoilt(verdict)) return null;
  const { success, metrics } = verdict;
  if (measure === 'valid' || !success) return success;
  return typeof metrics['optimal'] === 'number' ? metrics['optimal'] === 1 : null;
}

/** Tries come lake by lake: of each, the share of those judged that succeeded; null where there are none. */
function sharesOf(tries: readonly (boolean | null)[], samples: number): readonly Achieved[] {
  return Array.from({ length: Math.floor(tries.length / samples) }, (_, lake) => {
    const judged = tries.slice(lake * samples, (lake + 1) * samples).filter((one) => one !== null);
    return judged.length === 0 ? null : judged.filter((isSo) => isSo).length / judged.length;
  });
}

interface Course {
  readonly seconds: number;
  readonly rollouts: number;
  readonly agentSteps: number;
  readonly latencies: number[];
}

function paceOf({ seconds, rollouts, agentSteps, latencies }: Course): LakeMeasuredPace {
  const perSecond = (number: number): number => (seconds > 0 ? Math.round(number / seconds) : 0);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0;
  return {
    seconds: Number(seconds.toFixed(3)),
    rolloutsPerSecond: perSecond(rollouts),
    agentSteps,
    agentStepsPerSecond: perSecond(agentSteps),
    latencyMs: latencies.length === 0 ? null : { median: at(0.5), p95: at(0.95) },
  };
}

export type Measure = 'valid' | 'optimal';
export const measures: readonly Measure[] = ['valid', 'optimal'];
type Cell = NonNullable<Evaluation['cells']>[number];

/** Of one family, or of all where that is null. */
export function rateOf({ results, samples }: Evaluation, measure: Measure, family: string | null = null): LakeRate {
  return pooled([results.filter((one) => one.family === family)], measure, samples);
}

/** Of all lakes that meet a condition. */
export function rateWhere(
  { cells = [], samples }: Evaluation,
  measure: Measure,
  where: readonly Condition[],
): LakeRate {
  const own = cells.filter(({ conditions = {} }) => where.every(({ name, value }) => conditions[name] === value));
  return pooled(
    own.map(({ results }) => results),
    measure,
    samples,
  );
}

/** Tries at one lake are alike: how sure a rate is follows from the number of lakes. */
function pooled(results: readonly Cell['results'][], measure: Measure, samples = 1): LakeRate {
  const own = results.flat().filter((one) => one.measure === measure);
  const yes = own.reduce((sum, { count = 0 }) => sum + count, 0);
  const of = own.reduce((sum, one) => sum + (one.of ?? 0), 0);
  if (of === 0) return { value: null, count: yes, of, low: null, high: null };
  return { value: yes / of, count: yes, of, ...wilson(yes / samples, of / samples) };
}

export interface Condition {
  readonly name: string;
  readonly value: string | number | boolean;
}

/** The numbers of agents, or the waits, that lakes were evaluated with: the lowest first. */
export function conditionsIn({ cells = [] }: Evaluation, of: 'agents' | 'waits'): readonly Condition[] {
  return (of === 'agents' ? ['agents'] : ['wait', 'needsWait']).flatMap((name) => {
    const values = new Set(cells.flatMap(({ conditions = {} }) => conditions[name] ?? []));
    return [...values].sort((a, b) => Number(a) - Number(b)).map((value) => ({ name, value }));
  });
}

type Spending = Evaluation['results'][number];

/** Tokens by kind and costs by currency. */
export function spendingsIn({ results }: Pick<Evaluation, 'results'>): readonly Spending[] {
  return results.filter(({ family, measure }) => family === null && /^(tokens|cost)\//.test(measure));
}

/** The exit code: 1 where no rollout could be judged. */
export async function sayFaults(context: CommandContext, { name, evaluation, faults }: Outcome): Promise<number> {
  const spoilt = faults.reduce((sum, fault) => sum + fault.count, 0);
  if (spoilt === 0) return 0;
  const isNone = rateOf(evaluation, 'valid').of === 0;
  const some = isNone ? 'none could' : `${count(spoilt)} could not`;
  const of = counted(evaluation.rollouts, 'rollout');
  await context.say(`of ${of} of ${name}, ${some} be judged; the same command tries these again`);
  return isNone ? 1 : 0;
}
