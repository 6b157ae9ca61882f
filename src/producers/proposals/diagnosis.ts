// Whether an engineer knows how well the policy does: the rates it predicted, held against those on tasks that it was shown
// nothing of.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Score } from '../../lab/environments/verdict.ts';
import { figure } from '../summaries/summary.ts';
import { rankCorrelation } from './rank-correlation.ts';

export type Predictions = NonNullable<EventData['ProposalRecorded']['predictions']>;

interface Diagnosis {
  readonly brier: Score;
  readonly rankCorrelation: Score;
}

/** A predicted rate and what became of it. */
interface Pair {
  readonly predicted: number;
  readonly happened: number;
}

export function diagnosed(
  predictions: Predictions | null,
  heldBack: Pick<EventData['EvaluationRecorded'], 'results'> | null,
): Diagnosis {
  if (heldBack === null) return none('nothing was held back');
  if (predictions === null || predictions.length === 0) return none('nothing was predicted');
  const pairs = pairsOf(predictions, heldBack.results);
  if (pairs.length === 0) return none('nothing that was predicted was tried');
  const correlation = rankCorrelation(
    pairs.map(({ predicted }) => predicted),
    pairs.map(({ happened }) => happened),
  );
  return {
    brier: figure(pairs.reduce((sum, pair) => sum + brierOf(pair), 0) / pairs.length),
    rankCorrelation:
      correlation === null ? { value: null, reason: 'there is no order of ranks to compare' } : figure(correlation),
  };
}

/**
 * The mean square by which a rate, taken as the probability of each success, missed what each try came to: 1 or 0. Each
 * group counts alike, however many tries it had.
 */
function brierOf({ predicted, happened }: Pair): number {
  return happened * (1 - predicted) ** 2 + (1 - happened) * predicted ** 2;
}

function pairsOf(predictions: Predictions, results: EventData['EvaluationRecorded']['results']): Pair[] {
  return predictions.flatMap(({ group, measure, value: predicted }) => {
    if (measure !== 'valid') return [];
    const happened = results.find((one) => one.group === group && one.measure === measure)?.value;
    return typeof happened === 'number' ? [{ predicted, happened }] : [];
  });
}

function none(reason: string): Diagnosis {
  return { brier: { value: null, reason }, rankCorrelation: { value: null, reason } };
}
