// What `icecore lake evaluate` and `icecore lake leaderboard` have in common: the lakes that policies plan for, one evaluation of a
// policy, and the rates that come of it.
import { basename } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { parseJson } from '../../schemas/json-text.ts';
import type { LakeFault, LakeMeasuredPace, LakeRate } from '../../schemas/lake-evaluation-output.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  type Achieved,
  count,
  counted,
  type Environment,
  type Evaluated,
  type Evaluation,
  type InputLine,
  isSpoilt,
  type NamedPolicy,
  openSource,
  type Split,
  type Subject,
  type Task,
  wilson,
} from '../../src/library/plugins/tools.ts';
import { openLake } from '../lake/environment.ts';
import { fill } from '../lake/generator/generate.ts';
import { poolOf } from '../lake/generator/maker.ts';
import { type SuiteLayout, suites } from '../lake/generator/suites.ts';
import { digestOf, NotAnInstance, symmetryDigestOf } from '../lake/instance.ts';
import { instanceOf, lineOf } from '../lake/line.ts';
import { taskOf } from '../lake/tasks.ts';
import { batchFor, countOf, fillAhead, type GenerateRequest, nameOf } from '../lake/workers/pool.ts';
import { knownSuite, requestOf } from './generate.ts';
import { faultIn, lakeLines } from './lines.ts';
import type { EvaluatingOptions } from './options.ts';

export type LakesRequest =
  | { readonly kind: 'suites'; readonly suites: readonly [SuiteLayout, ...SuiteLayout[]] }
  | { readonly kind: 'fresh'; readonly request: Extract<GenerateRequest, { kind: 'configuration' }> }
  | { readonly kind: 'file'; readonly path: string };

/** Without any option, all suites. Throws UnknownSuite and usage errors; nothing is made yet. */
export function lakesRequestOf(context: CommandContext, options: EvaluatingOptions): LakesRequest {
  const { suite: names, lakes, split = 'validation', config, agents, count, seed } = options;
  const own = (['suite', 'lakes'] as const).filter((option) => options[option] !== undefined);
  const fresh = (['config', 'agents', 'count', 'split'] as const).find((option) => options[option] !== undefined);
  const given = [...own, ...(fresh === undefined ? [] : [fresh])].map((option) => `--${option}`);
  if (given.length > 1)
    throw new IcecoreError(
      'usage',
      `${given.join(' and ')}: a policy is evaluated on one of suites, fresh lakes, a file`,
      { facts: { found: given }, remedy: 'Leave all but one of them out.' },
    );
  if (lakes !== undefined) return { kind: 'file', path: lakes };
  if (fresh === undefined)
    return { kind: 'suites', suites: apart((names ?? suites.map(({ name }) => name)).map(knownSuite)) };
  const asked = { split, ...defined({ config, agents, count, seed }) };
  const request = requestOf(context, asked);
  if (request.kind !== 'configuration') throw new Error('fresh lakes come from a configuration');
  return { kind: 'fresh', request };
}

function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Lakes of two editions of a suite would count twice. */
function apart(layouts: readonly SuiteLayout[]): readonly [SuiteLayout, ...SuiteLayout[]] {
  const bySeed = new Map<string, SuiteLayout>();
  for (const layout of layouts) {
    const { name } = bySeed.get(layout.seed) ?? layout;
    if (name !== layout.name)
      throw new IcecoreError(
        'usage',
        `--suite: ${layout.name} and ${name} have lakes in common, which would count twice`,
        {
          facts: { field: '--suite', found: [name, layout.name] },
          remedy: 'Leave one of them out.',
        },
      );
    bySeed.set(layout.seed, layout);
  }
  return [...bySeed.values()] as [SuiteLayout, ...SuiteLayout[]];
}

export interface Lakes {
  readonly environment: Environment;
  readonly subject: Subject;
  readonly count: number;
}

/** All of them, before anybody plans for them, so that the pace of planning can be measured. Throws where there is none. */
export async function openLakes(context: CommandContext, asked: LakesRequest, jobs: number): Promise<Lakes> {
  switch (asked.kind) {
    case 'suites':
      return await suiteLakes(context, asked.suites, jobs);
    case 'fresh':
      return await freshLakes(context, asked.request, jobs);
    case 'file':
      return await lakesIn(context, asked.path);
  }
}

async function suiteLakes(
  context: CommandContext,
  layouts: readonly [SuiteLayout, ...SuiteLayout[]],
  jobs: number,
): Promise<Lakes> {
  const progress = context.progress('lakes made');
  const of = layouts.reduce((sum, { sizes, perSize }) => sum + sizes.length * perSize, 0);
  const bySuite = new Map<string, Task[]>();
  let made = 0;
  try {
    for (const suite of layouts) {
      const own: Task[] = [];
      bySuite.set(suite.name, own);
      for await (const task of lakesMade(context, { kind: 'suite', suite }, jobs)) {
        own.push(task);
        made += 1;
        await progress.update({ done: made, of });
      }
    }
  } finally {
    await progress.end();
  }
  const [first, ...others] = layouts;
  return {
    subject: { suites: [first.name, ...others.map(({ name }) => name)] },
    count: made,
    environment: {
      ...openLake(),
      async *suite(name: string) {
        yield* bySuite.get(name) ?? [];
        return [];
      },
    },
  };
}

async function freshLakes(
  context: CommandContext,
  request: Extract<GenerateRequest, { kind: 'configuration' }>,
  jobs: number,
): Promise<Lakes> {
  const tasks: Task[] = [];
  for await (const task of lakesMade(context, request, jobs)) tasks.push(task);
  const { configuration, count, seed, split } = request;
  if (tasks.length === 0)
    throw new IcecoreError('bad-input', 'there are no lakes as they are asked for', {
      remedy: 'icecore lake generate with the same options says of which kinds there are none.',
    });
  if (tasks.length < count) await context.say(`${tasks.length} of ${counted(count, 'lake')} could be made`);
  const pool = { name: split, split, tasks, parameters: { configuration, count, seed } };
  return { environment: openLake(), subject: { tasks: pool }, count: tasks.length };
}

/** Fewer lakes than this are made sooner than threads are started. */
const worthThreads = 400;

async function* lakesMade(
  { signal }: CommandContext,
  request: GenerateRequest,
  jobs: number,
): AsyncGenerator<Task, void, undefined> {
  const batch = batchFor(request);
  const instances = countOf(request) < worthThreads ? fill(batch) : fillAhead(batch, jobs);
  let index = 0;
  for await (const made of instances) {
    signal.throwIfAborted();
    const { agents, needsWait } = made.kind;
    yield { ...taskOf(made, nameOf(request), index++), conditions: { agents, needsWait } };
  }
}

/** Throws at the first line that is no lake, naming it, and where there is none. */
async function lakesIn(context: CommandContext, path: string): Promise<Lakes> {
  const source = await openSource(context, path, 'lakes, one a line,');
  const tasks: Task[] = [];
  try {
    for await (const lines of lakeLines(source)) for (const input of lines) tasks.push(taskIn(input, source.name));
  } finally {
    source.close();
  }
  if (tasks.length === 0)
    throw new IcecoreError(
      'bad-input',
      `${source.name}: found no lake, allowed: a lake a line, as icecore lake generate prints them`,
      { facts: { source: source.name } },
    );
  const name = path === '-' ? source.name : basename(path);
  return {
    environment: openLake(),
    subject: { tasks: { name, split: await splitOf(context, tasks), tasks } },
    count: tasks.length,
  };
}

/** What a line says of its optimum is not relied on: whether a plan is optimal is found out. */
function taskIn(input: InputLine, source: string): Task {
  try {
    const instance = instanceOf(parseJson(input.text));
    const { id = `line-${input.line}`, ...line } = lineOf(instance);
    const agents = instance.agents.length;
    return {
      ...{ id, family: String(instance.size), instance: line },
      ...{ digest: digestOf(instance), symmetryDigest: symmetryDigestOf(instance) },
      facts: { agents, holes: line.holes.length },
      conditions: { agents },
    };
  } catch (error) {
    const { message, kind, ...facts } = faultIn(input, error instanceof NotAnInstance ? error : null);
    throw new IcecoreError(kind, `${source}: ${message}`, { facts });
  }
}

/** The split that they belong to; a policy may know those that it was trained on. */
async function splitOf(context: CommandContext, tasks: readonly Task[]): Promise<Split> {
  const splits = tasks.map(({ symmetryDigest = '' }) => poolOf(symmetryDigest));
  const trained = splits.filter((split) => split === 'train').length;
  if (trained === 0) return splits[0] ?? 'validation';
  const are = trained === 1 ? 'is' : 'are';
  await context.say(`${trained} of ${counted(tasks.length, 'lake')} ${are} of the pool that policies are trained on`);
  return 'train';
}

export interface Conditions {
  readonly samples: number;
  readonly greedy: boolean;
  readonly seed: string;
}

export function conditionsOf({ samples, sampled, seed = 'icecore' }: EvaluatingOptions): Conditions {
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
  const { signal } = context;
  const { samples } = conditions;
  const progress = context.progress(`rollouts of ${policy.name}`);
  const [valid, optimal] = [new Shares(samples), new Shares(samples)];
  const faults = new Map<string, LakeFault>();
  const latencies: number[] = [];
  const begun = performance.now();
  let [done, agentSteps] = [0, 0];
  const rollouts = policy.evaluate(environment, { ...subject, ...conditions, signal });
  try {
    for (;;) {
      const next = await rollouts.next();
      if (next.done === true) {
        const byNumber = [...faults.values()].sort((a, b) => b.count - a.count);
        const pace = paceOf({ seconds: (performance.now() - begun) / 1000, rollouts: done, agentSteps, latencies });
        const shares = { valid: valid.byLake, optimal: optimal.byLake };
        return { name: policy.name, evaluation: next.value, faults: byNumber, pace, shares };
      }
      const { planned, verdict } = next.value;
      done += 1;
      agentSteps += planned.agentSteps ?? 0;
      const latency = planned.measured?.['latencyMs'];
      if (typeof latency === 'number') latencies.push(latency);
      if (isSpoilt(verdict)) {
        const { kind, message } = verdict.spoilt;
        const { count = 0, says = message } = faults.get(kind) ?? {};
        faults.set(kind, { kind, count: count + 1, says });
        valid.add(null);
        optimal.add(null);
      } else {
        const { success, metrics } = verdict;
        valid.add(success);
        optimal.add(success ? (typeof metrics['optimal'] === 'number' ? metrics['optimal'] === 1 : null) : false);
      }
      onRollout(next.value);
      await progress.update({ done, of: lakes * samples });
    }
  } finally {
    await progress.end();
  }
}

/** Of every lake, the share of its tries that succeeded; null where none could be judged. Tries come lake by lake. */
class Shares {
  readonly byLake: Achieved[] = [];
  readonly #samples: number;
  #tries = 0;
  #yes = 0;
  #of = 0;

  constructor(samples: number) {
    this.#samples = samples;
  }

  /** Null: it could not be judged. */
  add(isSo: boolean | null): void {
    this.#of += isSo === null ? 0 : 1;
    this.#yes += isSo === true ? 1 : 0;
    this.#tries += 1;
    if (this.#tries % this.#samples !== 0) return;
    this.byLake.push(this.#of === 0 ? null : this.#yes / this.#of);
    [this.#yes, this.#of] = [0, 0];
  }
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
