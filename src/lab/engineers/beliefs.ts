// What an engineer believes of a family before it decides: how often the policy solves its tasks, how much they teach, and
// whether it works well enough to be left alone.

import type { Descriptor } from '../../../schemas/environment.ts';
import { wilson } from '../statistics/wilson.ts';
import type { Fact, Shown } from './engineer.ts';
import { forgotten } from './turning.ts';

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

// Beliefs by reckoning with what a context shows, and with nothing else: how often tasks are solved, and how many
// comparisons had something to teach.

/** A share with a wider interval than this was counted of so few comparisons that it says nothing. */
const vague = 0.4;

/** What was solved once, and is not any more, is worth at least this. */
const recall = 0.75;

/** Few tasks say little: a rate counts as if so many more had been tried, and solved as often as those of all families. */
const doubt = 8;

/** Of all families, in the order of the descriptor. */
export function reckoned({ families }: Descriptor, evidence: Evidence): Belief[] {
  const rates = families.flatMap(({ family }) => solvedIn(evidence.of(family))?.figure.value ?? []);
  const usual = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return families.map(({ family }) => beliefOn(family, evidence, usual));
}

function beliefOn(family: string, evidence: Evidence, usual: number): Belief {
  const shown = evidence.of(family);
  const solved = solvedIn(shown);
  const rate = solved === null ? null : doubted(solved.figure, usual);
  const signal = shown.signal !== null && (shown.signal.width ?? 0) <= vague ? shown.signal : null;
  const lost = forgotten(shown.trials);
  const worths = [...(rate === null ? [] : [spread(rate)]), ...(signal === null ? [] : [signal.value])];
  const worth = worths.length === 0 ? null : worths.reduce((sum, one) => sum + one, 0) / worths.length;
  return {
    family,
    rate,
    worth: lost === null || worth === null ? worth : Math.max(worth, recall),
    works: lost === null && solved !== null && works(solved.figure),
    cites: [
      ...(solved?.cites ?? []),
      ...(signal === null ? [] : [signal.evidenceId]),
      ...(lost === null ? [] : [lost.best.evidenceId, lost.last.evidenceId]),
    ],
    reason: [
      ...(solved === null ? [] : [`${percent(solved.figure.value)} of its tasks are solved`]),
      ...(signal === null ? [] : [`${percent(signal.value)} of the comparisons in training had something to teach`]),
      ...(lost === null ? [] : [`it was better once: ${percent(lost.best.value)}, now ${percent(lost.last.value)}`]),
    ].join('; '),
  };
}

function doubted({ value, of }: Figure, usual: number): number {
  return of === null ? value : (value * of + usual * doubt) / (of + doubt);
}

/**
 * Where nothing else says what a family teaches, how failures are spread: what fails more often than others, of a pool that
 * has all families alike, is harder, and what fails half as often as the hardest teaches most. How often a family is solved
 * does not follow from that.
 */
export function withSpread(beliefs: readonly Belief[], evidence: Evidence): Belief[] {
  const failed = (family: string): number => evidence.of(family).ways[0]?.of ?? 0;
  const most = Math.max(...beliefs.map(({ family }) => failed(family)));
  return beliefs.map((belief) => {
    const count = failed(belief.family);
    if (belief.worth !== null || count === 0) return belief;
    return {
      ...belief,
      worth: spread(count / most),
      cites: [...belief.cites, ...evidence.of(belief.family).ways.map(({ evidenceId }) => evidenceId)],
      reason:
        count === most
          ? `${count} of its tries failed, the most of all`
          : `${count} of its tries failed, where most did ${most}`,
    };
  });
}

/** As it was counted; else as it was after the stage. */
export function solvedIn({
  solved,
  trials,
}: FamilyEvidence): { readonly figure: Figure; readonly cites: readonly string[] } | null {
  if (solved !== null) return { figure: solved, cites: [solved.evidenceId] };
  const last = trials.at(-1)?.solved ?? null;
  return last === null ? null : { figure: last, cites: [last.evidenceId] };
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
export function evidenceIn(context: Shown | null, reads: readonly string[]): Evidence {
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
