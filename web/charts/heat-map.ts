// Stages across, families down, a value in each cell: the form of the charts of the training mix, of mastery and of the
// learning signal. A cell without a recorded value is outlined.
import * as Plot from '@observablehq/plot';
import {
  type Canvas,
  type Chart,
  clickedThrough,
  isPointedAt,
  linked,
  type Place,
  plain,
  roomFor,
  shortened,
  type Table,
  ticksAmong,
} from './chart.ts';
import { alarm, heat, heatTurn, heatWorse, ink, onHeat, onPale } from './colours.ts';
import { comparedRates, largestCertain, shade } from './shade.ts';
import { percent } from './words.ts';

export interface Cell {
  readonly stage: number;
  readonly family: string;
  readonly value: number | null;
  /** From -1 to 1, as `shade` computes it; negative: worse than its baseline. */
  readonly strength: number;
  /** The text in the table, if known. */
  readonly figure: string;
  /** The tooltip. */
  readonly says: string;
  /** Whether it is framed. */
  readonly isMarked: boolean;
}

export interface HeatMap {
  readonly stages: readonly number[];
  readonly families: readonly string[];
  readonly cells: readonly Cell[];
  /** What a cell or a row is about. */
  readonly placeOf: (row: string, stage?: number) => Place;
  /** The text in a cell (default: whole percents). */
  readonly textOf?: (cell: Cell) => string;
  /** The colour of frames (default: that of alerts). */
  readonly frame?: string;
}

/** A rate after a stage, with its 95 % interval where it is known. */
interface StageRate {
  readonly stage: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How every stage of some families is shaded: by how it differs from the first stage of the same family. */
export interface Shading {
  readonly strength: (family: string, stage: number) => number;
  readonly legend: Chart['legend'];
  /** How to read it, as a sentence that follows others; empty if nothing can be shaded. */
  readonly words: string;
}

/** A map of small differences is not shaded as strongly as one of large differences. */
const leastFull = 0.2;

export function shadingFromFirst(families: ReadonlyMap<string, readonly StageRate[]>): Shading {
  const strengths = new Map<string, number>();
  const compared = Array.from(families).flatMap(([family, points]) => {
    const [first, ...later] = points.filter(({ value }) => value !== null).toSorted((a, b) => a.stage - b.stage);
    return later.flatMap((one) => {
      const found = comparedRates(one, first);
      return found === null ? [] : [{ key: `${one.stage} ${family}`, ...found }];
    });
  });
  const full = Math.max(leastFull, largestCertain(compared));
  for (const one of compared) strengths.set(one.key, shade(one, full));
  const points = Math.round(100 * full);
  return {
    strength: (family, stage) => strengths.get(`${stage} ${family}`) ?? 0,
    legend: compared.length === 0 ? null : { kind: 'difference', from: `−${points} points`, to: `+${points} points` },
    words:
      compared.length === 0
        ? ''
        : ' Shaded cells differ from the first stage by more than the 95 % interval of the difference: the further, the darker.',
  };
}

export function drawHeatMap({ stages, families, cells: shown, placeOf, ...looks }: HeatMap, canvas: Canvas): Element {
  const { document, width } = canvas;
  const pointed = {
    ...linked(canvas, ({ family, stage }: Cell) => placeOf(family, stage)),
    ...(isPointedAt(canvas, shown.length) ? { title: 'says' } : {}),
  };
  const left = Math.max(40, roomFor(families, Math.min(150, width * 0.32)));
  const right = 4;
  // A single stage is a narrow column.
  const widest = 72;
  const room = Math.min(width - left - right, stages.length * widest);
  const [cellWidth, cellHeight] = [room / stages.length, families.length > 16 ? 18 : 24];
  const strength = (cell: Cell): number => Math.abs(cell.strength);
  const known = shown.filter(({ value }) => value !== null);
  const place = { x: 'stage', y: 'family', inset: 0.75 } as const;
  const { textOf: text = ({ value }: Cell) => bare(value), frame = alarm } = looks;
  const words = { x: 'stage', y: 'family', text, fontSize: 11, ...clickedThrough(canvas) } as const;
  const hasRoom = cellWidth >= 28;
  return Plot.plot({
    document,
    width,
    height: families.length * cellHeight + 28,
    marginLeft: left,
    marginRight: width - left - room,
    marginTop: 4,
    marginBottom: 24,
    style: plain,
    x: { type: 'band', domain: stages, padding: 0, label: null },
    y: { type: 'band', domain: families, padding: 0, label: null },
    marks: [
      Plot.axisX({
        ticks: ticksAmong(stages, room),
        tickSize: 0,
        label: null,
        ...linked(canvas, (stage: number) => ({ stage })),
      }),
      Plot.text(['stage'], { frameAnchor: 'bottom-left', textAnchor: 'end', dx: -3, dy: 16 }),
      Plot.axisY({
        tickSize: 0,
        tickFormat: (family: string) => shortened(family, left),
        ...linked(canvas, (family: string) => placeOf(family)),
      }),
      Plot.cell(
        shown.filter(({ value }) => value === null),
        {
          ...place,
          inset: 1.5,
          fill: 'none',
          stroke: ink,
          strokeOpacity: 0.25,
          strokeDasharray: '2,2',
          ...pointed,
        },
      ),
      Plot.cell(known, {
        ...place,
        fill: (cell: Cell) => (cell.strength < 0 ? heatWorse : heat),
        fillOpacity: { value: strength, scale: null },
        stroke: ink,
        strokeOpacity: 0.12,
        ...pointed,
      }),
      Plot.cell(
        shown.filter(({ isMarked }) => isMarked),
        { ...place, inset: 1.5, fill: 'none', stroke: frame, strokeWidth: 2, ...clickedThrough(canvas) },
      ),
      ...(hasRoom
        ? [
            Plot.text(
              known.filter((cell) => strength(cell) < heatTurn),
              { ...words, fill: onPale },
            ),
            Plot.text(
              known.filter((cell) => strength(cell) >= heatTurn),
              { ...words, fill: onHeat },
            ),
          ]
        : []),
    ],
  });
}

/** In whole percents, without the sign, which every cell would repeat. */
function bare(value: number | null): string {
  return percent(value, 0).replace(/\s%$/, '');
}

export function heatTable({ stages, families, cells }: Pick<HeatMap, 'stages' | 'families' | 'cells'>): Table {
  const found = new Map(cells.map((cell) => [`${cell.stage} ${cell.family}`, cell]));
  return {
    columns: ['stage', ...families],
    rows: stages.map((stage) => [
      String(stage),
      ...families.map((family) => {
        const cell = found.get(`${stage} ${family}`);
        return cell === undefined || cell.value === null ? '' : cell.figure;
      }),
    ]),
  };
}
