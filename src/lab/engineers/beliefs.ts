// What an engineer believes about a family before it decides: how often the policy solves its tasks, how much they
// teach, and whether the family works well enough to leave it alone.
import { wilson } from '../statistics/distributions.ts';
import type { ContextModule, Exemplar, Fact, ShownContext } from './engineer.ts';

export interface Belief {
  readonly family: string;
  /** How often the current policy solves its tasks; null if unknown. */
  readonly rate: number | null;
  /** How much there is to learn from it relative to other families, from 0 to 1; null if unknown. */
  readonly worth: number | null;
  readonly works: boolean;
  readonly cites: readonly string[];
  readonly reason: string;
  /** The part of the reason about the rate: why its tasks should become harder or easier. */
  readonly success: string;
}

/** A family works when the lower bound of its rate is at least this. */
const working = 0.6;

export function works({ value, count, of }: Figure): boolean {
  if (of === null || of === 0) return value >= working;
  return wilson(count ?? value * of, of).low >= working;
}

/** How much a task with this success rate teaches; the maximum is at one half. */
export function spread(rate: number): number {
  return 4 * rate * (1 - rate);
}

export function percent(value: number): string {
  return `${Math.round(100 * value)} %`;
}

// What a context shows of each family, collected from its modules: success rates, failures, learning signal, generated
// tasks, earlier trials. Only citable facts count.

/** A figure of the context, with the evidence id it is cited by. */
export interface Figure {
  readonly evidenceId: string;
  readonly value: number;
  /** The count and its denominator, where they are known. */
  readonly count: number | null;
  readonly of: number | null;
  /** The width of its interval, where it has one. */
  readonly width: number | null;
}

/** One failure class: its share of the family's failed rollouts. */
export interface Way extends Figure {
  readonly failureClass: string;
  /** Evidence ids of the shown rollouts of this family that failed this way. */
  readonly exemplars: readonly string[];
}

/** A complete stage from the view of one family: its knob settings and the success rate afterwards. */
export interface Trial {
  readonly stage: number;
  readonly settings: ReadonlyMap<string, Figure>;
  readonly solved: Figure | null;
}

export interface FamilyEvidence {
  readonly solved: Figure | null;
  /** Most frequent first. */
  readonly ways: readonly Way[];
  /** The share of sample groups in training whose rewards differed. */
  readonly signal: Figure | null;
  /**
   * The number of generated training tasks, if none of them is of this family; null otherwise or if some are not shown.
   */
  readonly missingIn: number | null;
  /** In the order of stages. */
  readonly trials: readonly Trial[];
}

export interface Evidence {
  /** The learning signal of the training as a whole. */
  readonly signal: Figure | null;
  of(family: string): FamilyEvidence;
  /** The mean of a measure reported by the policy, such as its certainty or its expected reward. */
  mean(family: string, measure: string): Figure | null;
}

/** Evidence from the named modules, as far as they were shown. */
export function evidenceIn(context: ShownContext | null, reads: readonly string[]): Evidence {
  const shown = (module: string): readonly ContextModule[] =>
    reads.includes(module) ? (context?.modules ?? []).filter((one) => one.module === module) : [];
  const isCitable = ({ evidenceId }: Fact | Exemplar): boolean => context?.evidenceIds.has(evidenceId) === true;
  const facts = (module: string): Fact[] => shown(module).flatMap((one) => one.facts.filter(isCitable));
  const [behaviour, failures, training, stats, history] = [
    facts('behaviour'),
    facts('failures'),
    facts('training'),
    facts('stats'),
    facts('history'),
  ];
  const exemplars = shown('failures').flatMap((one) => one.exemplars.filter(isCitable));
  const made = stats.filter(({ measure }) => measure === 'tasks');
  return {
    signal: figureIn(training, null, 'signal'),
    of: (family) => ({
      solved: overTasks(figureIn(behaviour, family, 'valid'), figureIn(behaviour, family, 'tried')),
      ways: waysIn(failures, exemplars, family),
      signal: figureIn(training, family, 'signal'),
      missingIn: missingIn(made, family),
      trials: trialsIn(history, family),
    }),
    mean: (family, measure) => figureIn(behaviour, family, measure),
  };
}

function figureIn(facts: readonly Fact[], family: string | null, measure: string): Figure | null {
  const fact = facts.find((one) => one.family === family && one.measure === measure && one.about === undefined);
  return fact === undefined ? null : figureOf(fact);
}

/** Tries of one task are correlated, so the number of tasks limits the certainty of a rate. */
function overTasks(rate: Figure | null, tasks: Figure | null): Figure | null {
  return rate === null || tasks === null ? rate : { ...rate, count: rate.value * tasks.value, of: tasks.value };
}

/** If rows were truncated, a family's absence means nothing. */
function missingIn(made: readonly Fact[], family: string): number | null {
  if (made.some((fact) => fact.family === family && fact.count !== 0)) return null;
  const listed = made.reduce((sum, { count = 0 }) => sum + count, 0);
  return listed > 0 && made.every(({ of }) => of === listed) ? listed : null;
}

function figureOf({ evidenceId, value, count, of, low, high }: Fact): Figure | null {
  if (typeof value !== 'number') return null;
  const width = low === undefined || high === undefined ? null : high - low;
  return { evidenceId, value, count: count ?? null, of: of ?? null, width };
}

function waysIn(facts: readonly Fact[], exemplars: readonly Exemplar[], family: string): Way[] {
  const own = exemplars.filter((exemplar) => exemplar.family === family);
  return facts
    .filter((fact) => fact.family === family && fact.measure === 'failures')
    .flatMap((fact) => {
      const figure = figureOf(fact);
      if (figure === null || fact.about === undefined) return [];
      const alike = own.filter((exemplar) => exemplar.class === fact.about).map(({ evidenceId }) => evidenceId);
      return [{ ...figure, failureClass: fact.about, exemplars: alike }];
    })
    .sort((a, b) => b.value - a.value);
}

/** Evidence ids of a history contain the stage: `H2.8.hole`, `H2.8.valid`. */
function trialsIn(facts: readonly Fact[], family: string): Trial[] {
  const trials = new Map<number, { settings: Map<string, Figure>; solved: Figure | null }>();
  for (const fact of facts) {
    const stage = Number(/^H(\d+)\./.exec(fact.evidenceId)?.[1] ?? 0);
    const figure = figureOf(fact);
    if (fact.family !== family || stage === 0 || figure === null) continue;
    const trial = trials.get(stage) ?? { settings: new Map(), solved: null };
    trials.set(stage, trial);
    if (fact.measure === 'knob' && fact.about !== undefined) trial.settings.set(fact.about, figure);
    if (fact.measure === 'valid') trial.solved = figure;
  }
  return [...trials].sort(([a], [b]) => a - b).map(([stage, trial]) => ({ stage, ...trial }));
}
