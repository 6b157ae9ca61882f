// Stages across, families down, a value in each cell: the form of the charts of the training mix, of mastery and of the
// learning signal. A cell without a recorded value is outlined.
import * as Plot from '@observablehq/plot';
import { type Canvas, isPointedAt, plain, roomFor, shortened, type Table, ticksAmong } from './chart.ts';
import { alarm, heat, heatTurn, ink, onHeat, onPale } from './colours.ts';
import { percent } from './words.ts';

export interface Cell {
  readonly stage: number;
  readonly family: string;
  readonly value: number | null;
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
}

const faintest = 0.03;

export function top(cells: readonly Cell[]): number {
  return Math.max(0, ...cells.map(({ value }) => value ?? 0)) || 1;
}

export function drawHeatMap({ stages, families, cells: shown }: HeatMap, canvas: Canvas): Element {
  const { document, width } = canvas;
  const tooltip = isPointedAt(canvas, shown.length) ? { title: 'says' } : {};
  const left = Math.max(40, roomFor(families, Math.min(150, width * 0.32)));
  const right = 4;
  // A single stage is a narrow column.
  const widest = 72;
  const room = Math.min(width - left - right, stages.length * widest);
  const [cellWidth, cellHeight] = [room / stages.length, families.length > 16 ? 18 : 24];
  const limit = top(shown);
  const strength = ({ value }: Cell): number => faintest + (1 - faintest) * ((value ?? 0) / limit);
  const known = shown.filter(({ value }) => value !== null);
  const place = { x: 'stage', y: 'family', inset: 0.75 } as const;
  const words = { x: 'stage', y: 'family', text: ({ value }: Cell) => bare(value), fontSize: 11 } as const;
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
      Plot.axisX({ ticks: ticksAmong(stages, room), tickSize: 0, label: null }),
      Plot.text(['stage'], { frameAnchor: 'bottom-left', textAnchor: 'end', dx: -3, dy: 16 }),
      Plot.axisY({ tickSize: 0, tickFormat: (family: string) => shortened(family, left) }),
      Plot.cell(
        shown.filter(({ value }) => value === null),
        {
          ...place,
          inset: 1.5,
          fill: 'none',
          stroke: ink,
          strokeOpacity: 0.25,
          strokeDasharray: '2,2',
          ...tooltip,
        },
      ),
      Plot.cell(known, { ...place, fill: heat, fillOpacity: { value: strength, scale: null }, ...tooltip }),
      Plot.cell(
        shown.filter(({ isMarked }) => isMarked),
        { ...place, inset: 1.5, fill: 'none', stroke: alarm, strokeWidth: 2 },
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

export function heatTable({ stages, families, cells }: HeatMap): Table {
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
