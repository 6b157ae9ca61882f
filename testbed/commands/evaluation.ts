// Shared by `icecore lake evaluate` and `icecore lake leaderboard`: the lakes, the evaluation of one policy, and rates.
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
 * The lakes that the options select; by default all suites. Throws UnknownSuite and usage errors. The returned function generates or
 * reads all lakes before any policy plans for them, and throws if there are none.
 */
export async function lakesFor(
  context: CommandContext,
  options: EvaluatingOptions,
  jobs: number,
): Promise<() => Promise<Lakes>> {
  const { suite: names, lakes, split = 'validation', count = 100, seed = usualSeed } = options;
  const given = [
    ...(['suite', 'lakes'] as const).filter((option) => options[option] !== undefined),
    ...fresh.filter((option) => options[option] !== undefined).slice(0, 1),
  ].map((option) => `--${option}`);
  if (given.length > 1)
    throw new IcecoreError(
      'usage',
      `${given.join(' and ')}: a policy is evaluated on one of suites, fresh lakes, a file`,
      { facts: { found: given }, remedy: 'Use only one of them.' },
    );
  if (lakes !== undefined) return () => lakesIn(context, lakes);
  if (given.length === 0 || names !== undefined) {
    const layouts = requireDisjoint((names ?? suites.map(({ name }) => name)).map(knownSuite));
    return () => suiteLakes(context, layouts, jobs);
  }
  const request = {
    kind: 'configuration',
    configuration: await configurationOf(context, options),
    count,
    split,
    seed,
  } as const;
  return () => freshLakes(context, request, jobs);
}

/** Lakes of two editions of a suite would count twice. */
function requireDisjoint(layouts: readonly SuiteLayout[]): readonly SuiteLayout[] {
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
          remedy: 'Leave out one of them.',
        },
      );
    bySeed.set(layout.seed, layout);
  }
  return [...bySeed.values()];
}

/** With fewer lakes of each size than this, starting threads takes longer. */
const worthThreads = 50;

async function suiteLakes(context: CommandContext, layouts: readonly SuiteLayout[], jobs: number): Promise<Lakes> {
  const lake = openLake();
  const progress = context.progress('lakes generated');
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
    throw new IcecoreError('bad-input', 'no lakes of this kind can be generated', {
      remedy: 'icecore lake generate with the same options says which kinds are missing.',
    });
  if (tasks.length < count) await context.say(`${tasks.length} of ${counted(count, 'lake')} could be generated`);
  return poolLakes({ name: split, split, tasks, parameters: { configuration, count, seed } });
}

function poolLakes(tasks: Pool & { readonly tasks: readonly Task[] }): Lakes {
  return { environment: openLake(), subject: { tasks }, count: tasks.tasks.length };
}

/** In a thread, so that it can be stopped even if lakes of a kind are rare. */
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

/** Throws at the first invalid line. */
async function lakesIn(context: CommandContext, path: string): Promise<Lakes> {
  const source = await openSource(context, path, 'lakes, one per line,');
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
      `${source.name}: found no lake, allowed: one lake per line, as icecore lake generate prints them`,
      { facts: { source: source.name } },
    );
  // The optimum in a line is not trusted; optimality is computed.
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

/** The split they belong to, because a policy may know the lakes it was trained on. */
async function splitOf(context: CommandContext, instances: readonly Instance[]): Promise<Split> {
  const splits = instances.map((instance) => poolOf(symmetryDigestOf(instance)));
  const trained = splits.filter((split) => split === 'train').length;
  if (trained === 0) return splits[0] ?? 'validation';
  const are = trained === 1 ? 'is' : 'are';
  await context.say(`${trained} of ${counted(splits.length, 'lake')} ${are} of the split that policies are trained on`);
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
  /** The name given for the policy. */
  readonly name: string;
  readonly evaluation: Evaluation;
  readonly faults: readonly LakeFault[];
  readonly pace: LakeMeasuredPace;
  /** By lake. */
  readonly shares: Readonly<Record<Measure, readonly Achieved[]>>;
}

export async function evaluatePolicy(
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

/** Null if it could not be judged. */
function judgedAs(measure: Measure, verdict: Verdict): boolean | null {
  if (isSpoilt(verdict)) return null;
  const { success, metrics } = verdict;
  if (measure === 'valid' || !success) return success;
  return typeof metrics['optimal'] === 'number' ? metrics['optimal'] === 1 : null;
}

/** Attempts are ordered by lake. For each lake, the share of its judged attempts that succeeded; null if there are none. */
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

/** Of one family, or of all if it is null. */
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

/** Attempts at the same lake are correlated, so intervals use the number of lakes. */
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

/** The numbers of agents, or the waits, of the lakes, lowest first. */
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

/** The exit code: 1 if no rollout could be judged. */
export async function sayFaults(context: CommandContext, { name, evaluation, faults }: Outcome): Promise<number> {
  const spoilt = faults.reduce((sum, fault) => sum + fault.count, 0);
  if (spoilt === 0) return 0;
  const isNone = rateOf(evaluation, 'valid').of === 0;
  const some = isNone ? 'none could' : `${count(spoilt)} could not`;
  const of = counted(evaluation.rollouts, 'rollout');
  await context.say(`of ${of} of ${name}, ${some} be judged; the same command retries them`);
  return isNone ? 1 : 0;
}
