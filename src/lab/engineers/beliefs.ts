// What an engineer believes of a family before it decides: how often the policy solves its tasks, how much they teach, and
// whether it works well enough to be left alone.
import { wilson } from '../statistics/distributions.ts';
import type { Fact, ShownContext } from './engineer.ts';

export interface Belief {
  readonly family: string;
  /** How often the current policy solves its tasks; null where nothing is known of that. */
  readonly rate: number | null;
  /** How much there is to learn from it, against others, from 0 to 1; null where nothing is known of that. */
  readonly worth: number | null;
  readonly works: boolean;
  readonly cites: readonly string[];
  readonly reason: string;
}

/** A family works when its rate is at least this for sure. */
const working = 0.6;

export function works({ value, count, of }: Figure): boolean {
  if (of === null || of === 0) return value >= working;
  return wilson(count ?? value * of, of).low >= working;
}

/** How much a task teaches that is solved at this rate: most where it is solved half of the time. */
export function spread(rate: number): number {
  return 4 * rate * (1 - rate);
}

export function percent(value: number): string {
  return `${Math.round(100 * value)} %`;
}

// What a context says of each family, read out of its modules: how often tasks are solved, how they fail, how much there was
// to learn, what was made, what was tried. Only what may be cited counts as shown.

/** A figure of the context, with the evidence id it is cited by. */
export interface Figure {
  readonly evidenceId: string;
  readonly value: number;
  /** How many had it, out of how many, where it was counted. */
  readonly count: number | null;
  readonly of: number | null;
  /** How far its interval reaches, where it has one. */
  readonly width: number | null;
}

/** One way to fail: its share of the rollouts of the family that failed. */
export interface Way extends Figure {
  readonly failureClass: string;
}

/** A stage that is over, as far as a family goes: knobs that were set for it, and how often its tasks were solved after it. */
export interface Trial {
  readonly stage: number;
  readonly settings: ReadonlyMap<string, Figure>;
  readonly solved: Figure | null;
}

export interface FamilyEvidence {
  readonly solved: Figure | null;
  /** Most frequent first. */
  readonly ways: readonly Way[];
  /** The share of comparisons in training that had something to teach. */
  readonly signal: Figure | null;
  /** Of so many tasks, generated as for training, none is of this family; null where one is, or not all are told of. */
  readonly missingIn: number | null;
  /** In the order of stages. */
  readonly trials: readonly Trial[];
}

export interface Evidence {
  /** The learning signal of the training as a whole. */
  readonly signal: Figure | null;
  of(family: string): FamilyEvidence;
  /** What a policy's own measure came to on average: how sure it was, what it expected. */
  mean(family: string, measure: string): Figure | null;
}

/** Of the modules named, as far as they are shown. */
export function evidenceIn(context: ShownContext | null, reads: readonly string[]): Evidence {
  const facts = (module: string): Fact[] =>
    reads.includes(module)
      ? (context?.modules ?? [])
          .filter((shown) => shown.module === module)
          .flatMap((shown) => shown.facts)
          .filter(({ evidenceId }) => context?.evidenceIds.has(evidenceId) === true)
      : [];
  const [behaviour, failures, training, stats, history] = [
    facts('behaviour'),
    facts('failures'),
    facts('training'),
    facts('stats'),
    facts('history'),
  ];
  const made = stats.filter(({ measure }) => measure === 'tasks');
  return {
    signal: figureIn(training, null, 'signal'),
    of: (family) => ({
      solved: overTasks(figureIn(behaviour, family, 'valid'), figureIn(behaviour, family, 'tried')),
      ways: waysIn(failures, family),
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

/** Tries of one task are alike: a rate is as sure as its tasks are many. */
function overTasks(rate: Figure | null, tasks: Figure | null): Figure | null {
  return rate === null || tasks === null ? rate : { ...rate, count: rate.value * tasks.value, of: tasks.value };
}

/** Where rows were left out, that a family is not among them says nothing. */
function missingIn(made: readonly Fact[], family: string): number | null {
  if (made.some((fact) => fact.family === family && fact.count !== 0)) return null;
  const told = made.reduce((sum, { count = 0 }) => sum + count, 0);
  return told > 0 && made.every(({ of }) => of === told) ? told : null;
}

function figureOf({ evidenceId, value, count, of, low, high }: Fact): Figure | null {
  if (typeof value !== 'number') return null;
  const width = low === undefined || high === undefined ? null : high - low;
  return { evidenceId, value, count: count ?? null, of: of ?? null, width };
}

function waysIn(facts: readonly Fact[], family: string): Way[] {
  return facts
    .filter((fact) => fact.family === family && fact.measure === 'failures')
    .flatMap((fact) => {
      const figure = figureOf(fact);
      return figure === null || fact.about === undefined ? [] : [{ ...figure, failureClass: fact.about }];
    })
    .sort((a, b) => b.value - a.value);
}

/** Evidence ids of a history say the stage: `H2.8.hole`, `H2.8.valid`. */
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
