// The learning signal: the share of sample groups whose rewards differed, by family and stage. Cells with a collapse alert
// are framed.
import type { ChartData } from '../../schemas/chart-data.ts';
import { type Chart, labelled, roomOf } from './chart.ts';
import { type Cell, drawHeatMap, type HeatMap, heatTable, shadingFromFirst } from './heat-map.ts';
import { present } from './mix.ts';
import { capital, many, percent } from './words.ts';

/** The name of the first row, which is not a family. */
const everything = 'all families';

/** Null if no training reported it. */
export function signalChart({
  stages: all,
  families,
  signal,
}: Pick<ChartData, 'stages' | 'families' | 'signal'>): Chart | null {
  const rows = signal.map(({ family, ...one }) => ({ ...one, family: family ?? everything }));
  if (rows.every(({ share }) => share === null)) return null;
  const stages = all.filter((stage) => rows.some((one) => one.stage === stage && one.share !== null));
  const shading = shadingFromFirst(
    Map.groupBy(
      rows.map(({ share: value, ...one }) => ({ ...one, value })),
      ({ family }) => family,
    ),
  );
  const cells = rows
    .filter(({ stage }) => stages.includes(stage))
    .map(({ stage, family, share, hasCollapsed }): Cell => {
      const figure = percent(share);
      const says = `stage ${stage}, ${family}: ${figure} of the sample groups${hasCollapsed ? '; it collapsed' : ''}`;
      const strength = shading.strength(family, stage);
      return { stage, family, value: share, strength, figure, says, isMarked: hasCollapsed };
    });
  const map: HeatMap = {
    ...{ stages, families: present([everything, ...families], cells), cells },
    placeOf: (row, stage) => ({
      split: 'train',
      ...(row === everything ? {} : { family: row }),
      ...(stage === undefined ? {} : { stage }),
    }),
  };
  const collapsed = cells.filter(({ isMarked }) => isMarked).length;
  const words = {
    title: 'The learning signal: what there was to learn from',
    caption: `${capital(captionOf(cells, stages, collapsed))}${shading.words}`,
    description: `A heat map of ${many(stages.length, 'stage')} by ${many(map.families.length, 'row')}: the share of sample groups whose rewards differed.${shading.words} Frames mark a collapse.`,
  };
  return {
    ...words,
    room: roomOf(stages),
    legend: shading.legend,
    table: heatTable(map),
    draw: (canvas) => labelled(drawHeatMap(map, canvas), words),
  };
}

function captionOf(cells: readonly Cell[], stages: readonly number[], collapsed: number): string {
  const at = (stage: number | undefined): number | null =>
    cells.find((one) => one.stage === stage && one.family === everything)?.value ?? null;
  const [first, last] = [at(stages[0]), at(stages.at(-1))];
  const flagged =
    collapsed === 0
      ? 'no collapse was flagged'
      : `${many(collapsed, 'collapse')} ${collapsed === 1 ? 'is' : 'are'} framed`;
  if (first === null || last === null) return `${flagged}.`;
  if (stages.length === 1) return `${percent(last)} of the sample groups had rewards that differed; ${flagged}.`;
  return `sample groups whose rewards differed went from ${percent(first)} in stage ${stages[0]} to ${percent(last)} in stage ${stages.at(-1)}; ${flagged}.`;
}
