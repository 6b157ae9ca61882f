// The scores of a proposal: citation (corrected for chance), preservation, usable, and calibration of its predictions.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { isOwnModule } from '../../lab/context-modules.ts';
import type { Decision } from '../../lab/engineers/decision.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import { isWithinOneStep, stepsMoved } from '../../lab/environments/configuration.ts';
import type { Configuration, Score } from '../../lab/environments/environment.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { summaryModules } from '../summaries/modules.ts';
import { figure } from '../summaries/summary.ts';

/** From -1 to 1; null where there are fewer than two pairs, or all of a list are equal. */
export function rankCorrelation(one: readonly number[], other: readonly number[]): number | null {
  const [a, b] = [centredRanks(one), centredRanks(other)];
  const spread = Math.sqrt(product(a, a) * product(b, b));
  return spread === 0 ? null : product(a, b) / spread;
}

/** Less the mean of all ranks, so that they sum to 0. */
function centredRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const above = values.filter((other) => other > value).length;
    return (below - above) / 2;
  });
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** What may be cited, by evidence id. */
export type EvidenceIds = EventData['ContextRecorded']['evidenceIds'];

/** A change, as far as it says what it rests on. */
export interface Cited {
  readonly family: string | null;
  readonly cites: readonly string[] | null;
}

/** Modules that tell what the policy did. What is to be done and what the policy says of itself is no evidence. */
const evident: ReadonlySet<string> = new Set(summaryModules);

/**
 * (observed - expected) / (1 - expected): observed is the mean, over changes, of the share of the evidence cited that bears on
 * the change, expected what that mean would be were as many ids drawn at random. Null where chance alone is always right, and
 * where there is nothing to score.
 */
export function citationScore(changes: readonly Cited[], evidenceIds: EvidenceIds | null): Score {
  const evidence = evidenceIn(evidenceIds ?? {});
  if (evidence.size === 0) return { value: null, reason: 'nothing could be cited' };
  if (changes.length === 0) return { value: null, reason: 'nothing was changed' };
  const citations = changes.map((change) => citationOf(change, evidence, evidenceIds ?? {}));
  const observed = citations.reduce((sum, { bearing }) => sum + bearing, 0);
  const expected = citations.reduce((sum, { chance }) => sum + chance, 0);
  const room = changes.length - expected;
  if (room < 1e-9) return { value: null, reason: 'any evidence shown bears on what was changed' };
  return figure((observed - expected) / room);
}

/** The share of the evidence cited for one change that bears on it; null where nothing could be cited. */
export function bearingOf(change: Cited, evidenceIds: EvidenceIds | null): number | null {
  const evidence = evidenceIn(evidenceIds ?? {});
  return evidence.size === 0 ? null : figure(citationOf(change, evidence, evidenceIds ?? {}).bearing);
}

/** The family that each evidence id is about. */
type Evidence = ReadonlyMap<string, string | null>;

function evidenceIn(evidenceIds: EvidenceIds): Evidence {
  const all = Object.entries(evidenceIds).filter(([evidenceId, shown]) => isEvidence(evidenceId, shown));
  return new Map(all.map(([evidenceId, { family }]) => [evidenceId, family]));
}

/** Of a history it is what came of a stage, `H1.8.valid`; not what its knobs were set to. Modules of plugins name what they rest on. */
export function isEvidence(evidenceId: string, { module }: Pick<EvidenceIds[string], 'module'>): boolean {
  return evident.has(module) || isOwnModule(module) || (module === 'history' && /\.valid(~\d+)?$/.test(evidenceId));
}

interface Citation {
  /** The share of what is cited that bears on the change; 0 where nothing is cited. */
  readonly bearing: number;
  /** What that share would be on average, were as many ids drawn at random. */
  readonly chance: number;
}

/**
 * On a knob of a family bears what is of that family; what is of all families, and what is no evidence, is passed over. On a knob
 * of all families any evidence bears. An id that was not shown is cited and bears on nothing.
 */
function citationOf({ family, cites }: Cited, evidence: Evidence, evidenceIds: EvidenceIds): Citation {
  const cited = [...new Set(cites ?? [])];
  const pool = [...evidence].filter(([, about]) => family === null || about !== null);
  const bearing = new Set(
    pool.filter(([, about]) => family === null || about === family).map(([evidenceId]) => evidenceId),
  );
  const drawn = cited.filter((evidenceId) => pool.some(([one]) => one === evidenceId));
  const all = drawn.length + cited.filter((evidenceId) => !Object.hasOwn(evidenceIds, evidenceId)).length;
  if (all === 0) return { bearing: 0, chance: 0 };
  const right = drawn.filter((evidenceId) => bearing.has(evidenceId)).length;
  // However many are drawn from `pool` without replacement, this share of them is right on average.
  const share = pool.length === 0 ? 0 : bearing.size / pool.length;
  return { bearing: right / all, chance: (share * drawn.length) / all };
}

/** The lower end of the interval of its rate, from which on a family works. */
const working = 0.6;

export function preservation(
  descriptor: Descriptor,
  current: Configuration,
  proposed: Configuration,
  behaviour: readonly Fact[],
): Score {
  if (behaviour.length === 0) return { value: null, reason: 'nothing was counted of how often families succeed' };
  const families = descriptor.families.map(({ family }) => family).filter((family) => works(family, behaviour));
  if (families.length === 0) return { value: null, reason: 'no family works yet' };
  const steps = stepsMoved(descriptor, current, proposed);
  const kept = families.filter((family) =>
    descriptor.knobs
      .filter((knob) => knob.family === family || knob.family === null)
      .every(({ name }) => isWithinOneStep(steps.get(name) ?? 0)),
  );
  return figure(kept.length / families.length);
}

/** The end of the interval that is told is over tasks; where none is, it is reckoned from the counts of tries. */
function works(family: string, behaviour: readonly Fact[]): boolean {
  const rate = behaviour.find((fact) => fact.family === family && fact.measure === 'valid');
  if (rate === undefined) return false;
  const { count, of, low } = rate;
  const surely = low ?? (count !== undefined && of !== undefined && of > 0 ? wilson(count, of).low : 0);
  return surely >= working;
}

type Predictions = NonNullable<EventData['ProposalRecorded']['predictions']>;

interface Diagnosis {
  readonly brier: Score;
  readonly rankCorrelation: Score;
  /** How many families were tried, and how many of them predicted. */
  readonly families: number;
  readonly predicted: number;
}

/** A predicted rate and what became of it. */
interface Pair {
  readonly predicted: number;
  readonly happened: number;
}

export function diagnosed(
  predictions: Predictions | null,
  probeHoldout: Pick<EventData['EvaluationRecorded'], 'results'> | null,
): Diagnosis {
  const tried = triedIn(probeHoldout?.results ?? []);
  const none = (reason: string): Diagnosis => without(reason, tried.length);
  if (probeHoldout === null) return none('nothing was held back');
  if (predictions === null || predictions.length === 0) return none('nothing was predicted');
  if (tried.length === 0) return none('nothing was tried');
  const pairs = pairsOf(predictions, tried);
  if (pairs.length === 0) return none('none of the families that were tried was predicted');
  const correlation = rankCorrelation(
    pairs.map(({ predicted }) => predicted),
    pairs.map(({ happened }) => happened),
  );
  return {
    brier: figure(pairs.reduce((sum, pair) => sum + brierOf(pair), 0) / pairs.length),
    rankCorrelation:
      correlation === null ? { value: null, reason: 'there is no order of ranks to compare' } : figure(correlation),
    families: tried.length,
    predicted: pairs.length,
  };
}

/**
 * The mean square by which a rate, taken as the probability of each success, missed what each try came to: 1 or 0. Each
 * family counts alike, however many tries it had.
 */
function brierOf({ predicted, happened }: Pair): number {
  return happened * (1 - predicted) ** 2 + (1 - happened) * predicted ** 2;
}

interface Tried {
  readonly family: string;
  readonly happened: number;
}

function triedIn(results: EventData['EvaluationRecorded']['results']): Tried[] {
  return results.flatMap(({ family, measure, value: happened }) =>
    family !== null && measure === 'valid' && typeof happened === 'number' ? [{ family, happened }] : [],
  );
}

function pairsOf(predictions: Predictions, tried: readonly Tried[]): Pair[] {
  return tried.flatMap(({ family, happened }) => {
    const predicted = predictions.find((one) => one.family === family && one.measure === 'valid')?.value;
    return predicted === undefined ? [] : [{ predicted, happened }];
  });
}

function without(reason: string, families: number): Diagnosis {
  return { brier: { value: null, reason }, rankCorrelation: { value: null, reason }, families, predicted: 0 };
}

export type Scores = NonNullable<EventData['ProposalRecorded']['scores']>;

export interface Scoring {
  readonly descriptor: Descriptor;
  /** The configuration in force. */
  readonly current: Configuration;
  readonly decision: Decision;
  readonly predictions: Predictions | null;
  /** What could be cited; null where no context was shown. */
  readonly evidenceIds: EvidenceIds | null;
  /** How often the policy succeeded on the probe pool, by family. */
  readonly behaviour: readonly Fact[];
  /** What the policy did on the part of the pool that nobody is shown; null where there is none. */
  readonly probeHoldout: EventData['EvaluationRecorded'] | null;
}

export function scoresOf(scoring: Scoring): Scores {
  const { descriptor, current, decision, predictions, evidenceIds, behaviour, probeHoldout } = scoring;
  return {
    citation: citationScore(decision.changes, evidenceIds),
    preservation: preservation(descriptor, current, decision.configuration, behaviour),
    // One value that had to be moved is enough: what was proposed is not what is tried.
    usable: decision.clamps.length === 0 ? 1 : 0,
    calibration: diagnosed(predictions, probeHoldout),
  };
}
