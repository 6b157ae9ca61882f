// Whether an engineer knows how well the policy does: the rates it predicted, against those on tasks that it was shown
// nothing of. Whatever it predicts is scored, with the number of families that is; what it does not predict is no fault.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Score } from '../../lab/environments/environment.ts';
import { figure } from '../summaries/summary.ts';
import { rankCorrelation } from './rank-correlation.ts';

export type Predictions = NonNullable<EventData['ProposalRecorded']['predictions']>;

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
