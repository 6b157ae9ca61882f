// The curriculum: the shares of families in the training data, stage by stage.
import type { ChartData } from '../../schemas/chart-data.ts';
import { type Chart, labelled, roomOf } from './chart.ts';
import { type Cell, drawHeatMap, type HeatMap, heatTable } from './heat-map.ts';
import { shade } from './shade.ts';
import { capital, listed, many, percent } from './words.ts';

type Shares = ChartData['shares'];

/** Null if no knobs are shares of a whole. */
export function mixChart({
  stages: all,
  families: known,
  shares,
}: Pick<ChartData, 'stages' | 'families' | 'shares'>): Chart | null {
  if (shares.length === 0) return null;
  const families = present(known, shares);
  const most = Math.max(0, ...shares.map(({ share }) => share)) || 1;
  const stages = all.filter((stage) => shares.some((one) => one.stage === stage));
  const cells = shares.map(({ stage, family, share }): Cell => {
    return {
      stage,
      family,
      value: share,
      strength: shade({ value: share, baseline: 0, margin: 0 }, most),
      figure: percent(share),
      says: `stage ${stage}, family ${family}: ${percent(share)} of the training data`,
      isMarked: false,
    };
  });
  const words = {
    title: 'The curriculum: what each stage trained on',
    caption: capital(captionOf(shares, stages, families)),
    description: `A heat map of ${many(stages.length, 'stage')} by ${many(families.length, 'family', 'families')}: the darker a cell, the larger the share of the training data.`,
  };
  const map: HeatMap = {
    ...{ stages, families, cells },
    placeOf: (family, stage) => ({ family, split: 'train', ...(stage === undefined ? {} : { stage }) }),
  };
  return {
    ...words,
    room: roomOf(stages),
    legend: { kind: 'ramp', from: '0 %', to: `${percent(most, 0)} of the training data` },
    table: heatTable(map),
    draw: (canvas) => labelled(drawHeatMap(map, canvas), words),
  };
}

/** In the order of the environment, followed by unknown ones. */
export function present(known: readonly string[], parts: readonly { readonly family: string }[]): readonly string[] {
  const there = new Set(parts.map(({ family }) => family));
  return [...known.filter((family) => there.has(family)), ...[...there].filter((family) => !known.includes(family))];
}

/** Smaller changes are rounding errors. */
const visible = 0.005;

function captionOf(shares: Shares, stages: readonly number[], families: readonly string[]): string {
  const [first, last] = [stages[0] ?? 1, stages.at(-1) ?? 1];
  const at = (stage: number, family: string): number =>
    shares.find((one) => one.stage === stage && one.family === family)?.share ?? 0;
  if (first === last) {
    const most = families.toSorted((a, b) => at(first, b) - at(first, a))[0] ?? '';
    const isEven = families.every((family) => Math.abs(at(first, family) - at(first, most)) < visible);
    if (isEven) return `in its only stage, every family has ${percent(at(first, most))} of the training data.`;
    return `in its only stage, family ${most} has the largest share of the training data, ${percent(at(first, most))}.`;
  }
  const moved = families
    .map((family) => ({ family, from: at(first, family), to: at(last, family) }))
    .toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const [risen, fallen] = [moved[0], moved.at(-1)];
  const way = (from: number, to: number): string => `from ${percent(from)} to ${percent(to)}`;
  const isRisen = risen !== undefined && risen.to - risen.from >= visible;
  const isFallen = fallen !== undefined && fallen.from - fallen.to >= visible;
  const parts = [
    ...(isRisen ? [`the share of family ${risen.family} rose ${way(risen.from, risen.to)}`] : []),
    ...(isFallen
      ? [`${isRisen ? 'that' : 'the share'} of family ${fallen.family} fell ${way(fallen.from, fallen.to)}`]
      : []),
  ];
  const peak = peakWords(shares, [first, last]);
  const still = peak === '' ? 'stayed divided as they were' : 'came back to how they were divided';
  return `from stage ${first} to ${last}, ${parts.length === 0 ? `training data ${still}` : listed(parts)}${peak}.`;
}

/** If a family had a larger share in between than at both ends; else empty. */
function peakWords(shares: Shares, ends: readonly number[]): string {
  const peak = shares.reduce((most, one) => (one.share > most.share ? one : most));
  const atEnds = shares.filter(({ stage, family }) => family === peak.family && ends.includes(stage));
  if (peak.share <= Math.max(...atEnds.map(({ share }) => share)) + visible) return '';
  return `; the most was ${percent(peak.share)} of family ${peak.family} in stage ${peak.stage}`;
}
