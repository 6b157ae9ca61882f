// What a decision expected of the policy, and what came of that: whoever knows how well the policy does can tell what it needs.
import type { Decision } from '../../../../schemas/run-output.ts';
import type { Table } from '../../../../web/charts/chart.ts';
import { numberWords, percent, rateWords } from '../../../../web/charts/words.ts';
import { type Block, paragraph, soft } from '../document.ts';
import { counted } from './words.ts';

type Predicted = NonNullable<Decision['predictions']>[number];

interface Held extends Predicted {
  readonly value: number;
}

/** `leftOut`: scores tell of what was held back, as much as the figures do. */
export function predictionBlocks({ predictions, scores, stage }: Decision, leftOut: boolean): readonly Block[] {
  if (predictions === null || predictions.length === 0) return [];
  const made = `It predicted ${counted(predictions.length, 'rate')} of the policy that stage ${stage - 1} had trained`;
  const held = predictions.flatMap((one): Held[] =>
    one.came.value === null ? [] : [{ ...one, value: one.came.value }],
  );
  const splits = [...new Set(held.map(({ split }) => split ?? 'what was recorded'))].join(' and ');
  const caption = 'Predictions, and what came';
  return [
    held.length === 0
      ? paragraph(`${made}; ${leftOut ? 'what came of them is left out' : 'there is nothing to hold them against'}.`)
      : paragraph(
          `${made}. Held against ${splits} results, ${missWords(held)}.`,
          soft(leftOut ? '' : scoreWords(scores)),
        ),
    { kind: 'table', table: tableOf(predictions, leftOut), caption, isFolded: true },
  ];
}

function missWords(held: readonly Held[]): string {
  const misses = held.map((one) => ({ one, miss: Math.abs(one.predicted - one.value) }));
  const mean = misses.reduce((sum, { miss }) => sum + miss, 0) / misses.length;
  const worst = misses.reduce((most, next) => (next.miss > most.miss ? next : most)).one;
  const known = held.filter(({ came }) => came.low !== null && came.high !== null);
  const within = known.filter(
    ({ predicted, came }) => predicted >= (came.low ?? 1) && predicted <= (came.high ?? 0),
  ).length;
  const inside = known.length === 0 ? '' : `${within} of ${known.length} lie within the intervals; `;
  const gap = `${(100 * mean).toFixed(1)}\u00a0points`;
  const example = `family ${worst.family}: ${worst.measure} ${percent(worst.predicted)} predicted, ${rateWords(worst.came)} came`;
  return held.length === 1 ? `${inside}${example}` : `${inside}they miss by ${gap} on average, most in ${example}`;
}

function scoreWords(scores: Decision['scores']): string {
  const told = [
    ...(scores?.brier == null ? [] : [`Brier score ${numberWords(scores.brier)}`]),
    ...(scores?.rankCorrelation == null ? [] : [`rank correlation ${numberWords(scores.rankCorrelation)}`]),
  ];
  return told.length === 0 ? '' : ` ${told.join(', ')}.`;
}

function tableOf(predictions: readonly Predicted[], leftOut: boolean): Table {
  const rows = predictions.map(({ family, measure, predicted, came, split }) => [
    family,
    measure,
    percent(predicted),
    came.value !== null ? rateWords(came) : leftOut ? 'left out' : 'not recorded',
    split ?? '',
  ]);
  return { columns: ['family', 'measure', 'predicted', 'came', 'in'], rows };
}
