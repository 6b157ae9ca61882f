// The command that would settle what an ablation leaves inconclusive, and which contrasts no number of seeds would settle.

import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { standingsOf } from '../../../../web/charts/standings.ts';
import { listNames } from '../../../base/name-lists.ts';
import { count, counted } from '../../../base/quantity.ts';
import { type Block, codeBlock, note, paragraph } from '../../../document/document.ts';
import { mostNeeded } from '../../../lab/statistics/power.ts';
import { numberIn } from '../../../producers/history/figures.ts';
import { isEstimated, mostSeeds, openContrasts, seedsToSettle } from '../settle.ts';
import { contrastText } from './figures.ts';

type Comparison = Ablated['comparisons'][number];

/** The command that would settle what is inconclusive, or why there is none that is worth it. */
export function settleBlocks(ablated: Ablated): readonly Block[] {
  const { settle, depth, comparisons } = ablated;
  if (settle == null) return unsettledBlocks(ablated);
  const { arm, reference, seeds, seconds, command } = settle;
  const time = seconds === null ? '' : `, about ${roughly(seconds)} of training`;
  const settled = comparisons.find((one) => one.arm === arm && one.reference === reference);
  const what =
    depth === 'propose'
      ? `To find out whether ${arm} trains better than ${reference}`
      : `To settle whether ${arm} is ${settled === undefined ? 'better' : directionOf(settled, ablated)} than ${reference}`;
  // What suggested the question does not answer it.
  const number =
    depth === 'propose' ? counted(seeds, 'seed') : `${counted(seeds, 'new seed')}, the old ones not counted`;
  return [
    paragraph(`${what}, run this: ${number} (${whySeeds(seeds, settled, ablated)})${time}:`),
    codeBlock(command),
    ...tooSmallBlocks(ablated),
  ];
}

/** The table estimates more where the contrast is tested together with others. */
function whySeeds(seeds: number, settled: Comparison | undefined, ablated: Ablated): string {
  if (settled === undefined || !isEstimated(settled, ablated)) return 'the fewest that can be significant';
  const { unitsNeeded, factor, reference } = settled;
  const isInTable = factor === undefined && reference === standingsOf(ablated)?.reference;
  if (!isInTable || unitsNeeded === undefined || unitsNeeded <= seeds) return 'estimated from these results';
  return `estimated for this contrast alone; the ~${count(unitsNeeded)} in its row are for testing all contrasts together`;
}

/** As it came out, so that the question is about what the table shows. */
function directionOf({ measure, difference }: Comparison, { measures }: Ablated): 'better' | 'worse' {
  const isLowerBetter = measures.find((one) => one.measure === measure)?.better === 'lower';
  return (numberIn(difference) ?? 0) < 0 === isLowerBetter ? 'better' : 'worse';
}

/** An estimate has no seconds: `40 s`, `3 min`, `5 h`. */
function roughly(seconds: number): string {
  if (seconds < 95) return `${Math.max(10, Math.round(seconds / 10) * 10)} s`;
  return seconds < 95 * 60 ? `${Math.round(seconds / 60)} min` : `${count(seconds / 3600)} h`;
}

function tooSmall(ablated: Ablated): readonly Comparison[] {
  return openContrasts(ablated).filter((one) => seedsToSettle(one, ablated) === null);
}

const mostNamed = 2;

/** The contrasts that the command leaves out. */
function tooSmallBlocks(ablated: Ablated): readonly Block[] {
  const left = tooSmall(ablated);
  if (left.length === 0) return [];
  const names = listNames(left.map(contrastText), mostNamed);
  return [note(`Differences too small for ${count(mostSeeds)} seeds to settle: ${names}.`)];
}

function unsettledBlocks(ablated: Ablated): readonly Block[] {
  const left = tooSmall(ablated);
  if (left.length === 0 || left.length < openContrasts(ablated).length) return [];
  const least = Math.min(...left.map(({ unitsNeeded }) => unitsNeeded ?? Number.POSITIVE_INFINITY));
  const needed = Number.isFinite(least) ? `about ${count(least)}` : `more than ${count(mostNeeded)}`;
  return [
    note(
      `No command is suggested to settle what is inconclusive: differences this small take ${needed} seeds. Compare other arms, or state with --margin which difference is too small to matter.`,
    ),
  ];
}
