// Evaluates one policy on the chosen lakes, and collects results by lake, rates, rollout lines and cost.

import type { LakeFault, LakeMeasuredPace, LakeRate, LakeRollout } from '../../../../schemas/lake-evaluation-output.ts';
import type { Line } from '../../../../testbed/lake/line.ts';
import { count, duration, money } from '../../../base/quantity.ts';
import { type Column, table } from '../../../document/layout.ts';
import { type Environment, isSpoilt, taskDigest, type Verdict } from '../../../lab/environments/environment.ts';
import { type Evaluation, evaluate, type Subject } from '../../../lab/evaluation/evaluate.ts';
import type { Evaluated } from '../../../lab/evaluation/judged.ts';
import type { Planned } from '../../../lab/policies/policy.ts';
import { wilson } from '../../../lab/statistics/distributions.ts';
import type { Achieved } from '../../../lab/statistics/pairs.ts';
import type { Context } from '../../context.ts';
import { Progress } from '../../output/progress.ts';
import { headsUp } from './heads-up.ts';
import type { Named } from './policies.ts';

class ByLake {
  readonly #samples: number;
  #tries = 0;
  readonly valid: Achieved[] = [];
  readonly optimal: Achieved[] = [];
  readonly #counts = { valid: { yes: 0, of: 0 }, optimal: { yes: 0, of: 0 } };

  constructor(samples: number) {
    this.#samples = samples;
  }

  /** Tries come lake by lake, so many each. */
  add(verdict: Verdict): void {
    this.#tries += 1;
    if (!isSpoilt(verdict)) {
      const { success, metrics } = verdict;
      const { optimal } = metrics;
      this.#count('valid', success);
      if (!success || typeof optimal === 'number') this.#count('optimal', success && optimal === 1);
    }
    if (this.#tries % this.#samples !== 0) return;
    this.valid.push(this.#share('valid'));
    this.optimal.push(this.#share('optimal'));
  }

  #count(measure: 'valid' | 'optimal', isSo: boolean): void {
    const counts = this.#counts[measure];
    counts.of += 1;
    if (isSo) counts.yes += 1;
  }

  #share(measure: 'valid' | 'optimal'): Achieved {
    const { yes, of } = this.#counts[measure];
    this.#counts[measure] = { yes: 0, of: 0 };
    return of === 0 ? null : yes / of;
  }
}

interface Condition {
  readonly name: string;
  readonly value: string | number | boolean;
}

const waitNames = ['wait', 'needsWait'] as const;

/** Numbers of agents, fewest first. */
export function agentsIn(cells: readonly Cell[]): readonly Condition[] {
  return valuesOf(cells, 'agents');
}

export function waitsIn(cells: readonly Cell[]): readonly Condition[] {
  return waitNames.flatMap((name) => valuesOf(cells, name));
}

export function meets({ conditions = {} }: Cell, { name, value }: Condition): boolean {
  return conditions[name] === value;
}

function valuesOf(cells: readonly Cell[], name: string): readonly Condition[] {
  const values = new Set(cells.flatMap(({ conditions = {} }) => conditions[name] ?? []));
  return [...values].sort((a, b) => Number(a) - Number(b)).map((value) => ({ name, value }));
}

export function titleOf({ name, value }: Condition): string {
  switch (name) {
    case 'agents':
      return value === 1 ? '1 agent' : `${value} agents`;
    case 'wait':
      return `${Math.round(100 * Number(value))} % wait`;
    default:
      return value === true ? 'wait' : 'no wait';
  }
}

export type Measure = 'valid' | 'optimal';
export type Cell = NonNullable<Evaluation['cells']>[number];
type Counted = { readonly measure: string; readonly count?: number | undefined; readonly of?: number | undefined };

/** Tries at one lake are alike: how sure a rate is follows from the number of lakes. */
function rate(count: number, of: number, samples = 1): LakeRate {
  if (of === 0) return { value: null, count, of, low: null, high: null };
  return { value: count / of, count, of, ...wilson(count / samples, of / samples) };
}

/** Of all families where that is null. */
export function rateOf(
  { results, samples = 1 }: Pick<Evaluation, 'results' | 'samples'>,
  measure: Measure,
  family: string | null = null,
): LakeRate {
  return pooled([results.filter((one) => one.family === family)], measure, samples);
}

/** Of several sets of results together. */
function pooled(results: readonly (readonly Counted[])[], measure: Measure, samples = 1): LakeRate {
  let [count, of] = [0, 0];
  for (const result of results.flat()) {
    if (result.measure !== measure) continue;
    count += result.count ?? 0;
    of += result.of ?? 0;
  }
  return rate(count, of, samples);
}

export function pooledCells(cells: readonly Cell[], measure: Measure, samples = 1): LakeRate {
  return pooled(
    cells.map(({ results }) => results),
    measure,
    samples,
  );
}

/** In percent. What is not all is never shown as all, what is not none never as none. */
export function percent({ value, count, of }: Pick<LakeRate, 'value' | 'count' | 'of'>): string {
  if (value === null) return '-';
  const text = (100 * value).toFixed(1);
  if (count < of && text === '100.0') return '>99.9';
  return count > 0 && text === '0.0' ? '<0.1' : text;
}

export function intervalOf({ low, high }: Pick<LakeRate, 'low' | 'high'>): string {
  return low === null || high === null ? '' : `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

export function rolloutLine({ planned, verdict }: Evaluated): LakeRollout {
  const { task, sample, answer, truncated, agentSteps, sureness, measured } = planned;
  const { size, holes, agents } = task.instance as unknown as Line;
  const { needsWait } = task.facts;
  return {
    id: task.id,
    size,
    holes: holes.map(([row, column]) => [row, column]),
    agents: agents.map(({ start, goal }) => ({ start: [...start], goal: [...goal] })),
    digest: taskDigest(task),
    ...(typeof needsWait === 'boolean' ? { needsWait } : {}),
    sample,
    plan: isSpoilt(verdict) ? null : (verdict.understood ?? answer),
    ...(truncated === undefined ? {} : { truncated }),
    ...becameOf(verdict),
    ...(agentSteps === undefined ? {} : { agentSteps }),
    ...(sureness === undefined ? {} : { sureness: { ...sureness } }),
    ...saidIn(planned),
    ...(measured === undefined ? {} : { measured }),
  };
}

function becameOf(verdict: Verdict): Pick<LakeRollout, 'outcome' | 'cost' | 'optimal' | 'failures' | 'fault'> {
  if (isSpoilt(verdict)) return { outcome: null, cost: null, optimal: null, failures: [], fault: verdict.spoilt };
  const { outcome, metrics, failures, success } = verdict;
  const { cost, optimal } = metrics;
  return {
    outcome: outcome as LakeRollout['outcome'],
    cost: typeof cost === 'number' ? cost : null,
    optimal: typeof optimal === 'number' ? optimal === 1 : success ? null : false,
    failures: failures.map((failure) => ({ ...failure })),
  };
}

function saidIn({ spoken }: Planned): Partial<LakeRollout> {
  if (spoken === undefined) return {};
  const { key, completion, finishReason, usage, cost } = spoken;
  return {
    modelAnswer: key,
    completion,
    finishReason,
    ...(usage === undefined ? {} : { tokens: usage as Record<string, number> }),
    ...(cost === undefined ? {} : { spent: { currency: cost.currency, total: cost.total } }),
  };
}

type Spending = Evaluation['results'][number];

/** Tokens by kind and costs by currency. */
export function spendingsIn({ results }: Pick<Evaluation, 'results'>): readonly Spending[] {
  return results.filter(({ family, measure }) => family === null && /^(tokens|cost)\//.test(measure));
}

/** Nothing where nobody was asked. What was recorded before counts as it did when it was asked for. */
export function spentIn({ io }: Context, { evaluation, pace }: Outcome): string {
  const spendings = spendingsIn(evaluation);
  if (spendings.length === 0) return '';
  const columns: Column[] = [
    { title: 'spent' },
    { title: 'in all', align: 'right' },
    { title: 'a try', align: 'right' },
  ];
  const rows = spendings.map(({ measure, value, count: tries = 0 }) => {
    const total = typeof value === 'number' ? value : 0;
    const each = total / Math.max(1, tries);
    const [kind = '', unit = ''] = measure.split('/');
    if (kind === 'cost') return ['cost', money(total, unit), money(each, unit)];
    return [`${unit} tokens`, count(total), count(each)];
  });
  if (pace.latencyMs !== null) {
    const { median, p95 } = pace.latencyMs;
    rows.push(['answer after', '', `${duration(median / 1000)}, 95 % within ${duration(p95 / 1000)}`]);
  }
  return table(columns, rows, io.stdout);
}

/** The money, where any is known to have been spent. */
export function costText(evaluation: Pick<Evaluation, 'results'>): string {
  return spendingsIn(evaluation)
    .flatMap(({ measure, value }) =>
      measure.startsWith('cost/') && typeof value === 'number' ? [money(value, measure.slice('cost/'.length))] : [],
    )
    .join(' + ');
}

export interface Conditions {
  readonly samples: number;
  readonly greedy: boolean;
  readonly seed: string;
}

export interface Evaluating extends Conditions {
  readonly environment: Environment;
  readonly subject: Subject;
  /** How many lakes there will be. */
  readonly lakes: number;
  /** Told of each rollout. */
  readonly onRollout?: (evaluated: Evaluated) => void;
}

export interface Outcome {
  readonly evaluation: Evaluation;
  readonly faults: readonly LakeFault[];
  readonly pace: LakeMeasuredPace;
  readonly byLake: ByLake;
}

export async function evaluated(context: Context, named: Named, asked: Evaluating): Promise<Outcome> {
  const { word, policy } = named;
  const { environment, subject, lakes, samples, greedy, seed, onRollout } = asked;
  const progress = new Progress(context, `rollouts of ${word}`);
  const notes = new Notes(samples);
  const of = lakes * samples;
  const { signal } = context;
  const callOff = headsUp(context, named);
  const rollouts = evaluate(environment, policy, { ...subject, samples, greedy, seed, signal });
  try {
    for (;;) {
      const next = await rollouts.next();
      callOff();
      if (next.done === true) return { evaluation: next.value, ...notes.told() };
      notes.add(next.value);
      onRollout?.(next.value);
      await progress.update({ done: notes.rollouts, of });
    }
  } finally {
    callOff();
    await progress.end();
  }
}

class Notes {
  readonly #begun = performance.now();
  readonly #faults = new Map<string, { count: number; readonly says: string }>();
  readonly #latencies: number[] = [];
  readonly #byLake: ByLake;
  #agentSteps = 0;
  rollouts = 0;

  constructor(samples: number) {
    this.#byLake = new ByLake(samples);
  }

  add({ planned, verdict }: Evaluated): void {
    this.rollouts += 1;
    this.#agentSteps += planned.agentSteps ?? 0;
    this.#byLake.add(verdict);
    const latency = planned.measured?.['latencyMs'];
    if (typeof latency === 'number') this.#latencies.push(latency);
    if (!isSpoilt(verdict)) return;
    const { kind, message } = verdict.spoilt;
    const fault = this.#faults.get(kind) ?? { count: 0, says: message };
    fault.count += 1;
    this.#faults.set(kind, fault);
  }

  told(): Pick<Outcome, 'faults' | 'pace' | 'byLake'> {
    const seconds = (performance.now() - this.#begun) / 1000;
    const perSecond = (number: number): number => (seconds > 0 ? Math.round(number / seconds) : 0);
    return {
      faults: Array.from(this.#faults, ([kind, fault]) => ({ kind, ...fault })).sort((a, b) => b.count - a.count),
      pace: {
        seconds: Number(seconds.toFixed(3)),
        rolloutsPerSecond: perSecond(this.rollouts),
        agentSteps: this.#agentSteps,
        agentStepsPerSecond: perSecond(this.#agentSteps),
        latencyMs: latencyIn(this.#latencies),
      },
      byLake: this.#byLake,
    };
  }
}

function latencyIn(latencies: number[]): LakeMeasuredPace['latencyMs'] {
  if (latencies.length === 0) return null;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}
