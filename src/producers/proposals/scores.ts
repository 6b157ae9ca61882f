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

/** From -1 to 1; null for fewer than two pairs, and if all values of a list are equal. */
export function rankCorrelation(one: readonly number[], other: readonly number[]): number | null {
  const [a, b] = [centredRanks(one), centredRanks(other)];
  const spread = Math.sqrt(product(a, a) * product(b, b));
  return spread === 0 ? null : product(a, b) / spread;
}

/** Minus the mean rank, so that they sum to 0. */
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

/** The citable evidence, by evidence id. */
export type EvidenceIds = EventData['ContextRecorded']['evidenceIds'];

/** A change with its cited evidence. */
export interface Cited {
  readonly family: string | null;
  readonly cites: readonly string[] | null;
}

/** Modules about what the policy did. The objective and the policy's own statements are not evidence. */
const evident: ReadonlySet<string> = new Set(summaryModules);

/**
 * (observed - expected) / (1 - expected): observed is the mean, over changes, of the share of cited evidence that
 * concerns the change; expected is that mean for the same number of random ids. Null if chance alone is always right,
 * and if there is nothing to score.
 */
export function citationScore(changes: readonly Cited[], evidenceIds: EvidenceIds | null): Score {
  const evidence = evidenceIn(evidenceIds ?? {});
  if (evidence.size === 0) return { value: null, reason: 'the context had nothing to cite' };
  if (changes.length === 0) return { value: null, reason: 'nothing was changed' };
  const citations = changes.map((change) => citationOf(change, evidence, evidenceIds ?? {}));
  const observed = citations.reduce((sum, { bearing }) => sum + bearing, 0);
  const expected = citations.reduce((sum, { chance }) => sum + chance, 0);
  const room = changes.length - expected;
  if (room < 1e-9) return { value: null, reason: 'all evidence shown concerns the changes' };
  return figure((observed - expected) / room);
}

/** The share of the cited evidence that concerns the change; null if there was nothing to cite. */
export function bearingOf(change: Cited, evidenceIds: EvidenceIds | null): number | null {
  const evidence = evidenceIn(evidenceIds ?? {});
  return evidence.size === 0 ? null : figure(citationOf(change, evidence, evidenceIds ?? {}).bearing);
}

/** The family of each evidence id. */
type Evidence = ReadonlyMap<string, string | null>;

function evidenceIn(evidenceIds: EvidenceIds): Evidence {
  const all = Object.entries(evidenceIds).filter(([evidenceId, shown]) => isEvidence(evidenceId, shown));
  return new Map(all.map(([evidenceId, { family }]) => [evidenceId, family]));
}

/**
 * In the history module, stage results such as `H1.8.valid` are evidence, and knob settings are not. Plugin modules
 * name their evidence.
 */
export function isEvidence(evidenceId: string, { module }: Pick<EvidenceIds[string], 'module'>): boolean {
  return evident.has(module) || isOwnModule(module) || (module === 'history' && /\.valid(~\d+)?$/.test(evidenceId));
}

interface Citation {
  /** The share of the cited evidence that concerns the change; 0 if nothing is cited. */
  readonly bearing: number;
  /** The expected share for the same number of random ids. */
  readonly chance: number;
}

/**
 * Evidence of a family concerns the knobs of that family; evidence of all families and citations that are not evidence
 * are ignored. All evidence concerns a knob of all families. An id that was not shown counts as cited and concerns
 * nothing.
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
  // The expected share of a sample from `pool` without replacement, of any size.
  const share = pool.length === 0 ? 0 : bearing.size / pool.length;
  return { bearing: right / all, chance: (share * drawn.length) / all };
}

/** A family works if the lower bound of its rate is at least this. */
const working = 0.6;

export function preservation(
  descriptor: Descriptor,
  current: Configuration,
  proposed: Configuration,
  behaviour: readonly Fact[],
): Score {
  if (behaviour.length === 0) return { value: null, reason: 'the success rates of families were not recorded' };
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

/** The recorded interval is over tasks; without one, it is computed from the tries. */
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
  /** The number of tried families, and the number of those with a prediction. */
  readonly families: number;
  readonly predicted: number;
}

/** A predicted rate and its outcome. */
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
  if (probeHoldout === null) return none('there are no holdout probes');
  if (predictions === null || predictions.length === 0) return none('it has no predictions');
  if (tried.length === 0) return none('nothing was tried');
  const pairs = pairsOf(predictions, tried);
  if (pairs.length === 0) return none('none of the tried families has a prediction');
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
 * The mean squared error of the predicted rate against each try's result, 1 or 0. Families have equal weight, whatever
 * their number of tries.
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
  /** The current configuration. */
  readonly current: Configuration;
  readonly decision: Decision;
  readonly predictions: Predictions | null;
  /** The citable evidence; null if no context was shown. */
  readonly evidenceIds: EvidenceIds | null;
  /** The policy's success rate on the probe pool, by family. */
  readonly behaviour: readonly Fact[];
  /** Results on the hidden half of the pool; null if there are none. */
  readonly probeHoldout: EventData['EvaluationRecorded'] | null;
}

export function scoresOf(scoring: Scoring): Scores {
  const { descriptor, current, decision, predictions, evidenceIds, behaviour, probeHoldout } = scoring;
  return {
    citation: citationScore(decision.changes, evidenceIds),
    preservation: preservation(descriptor, current, decision.configuration, behaviour),
    // A single clamped value is enough: the proposal is not what will be tried.
    usable: decision.clamps.length === 0 ? 1 : 0,
    calibration: diagnosed(predictions, probeHoldout),
  };
}
