// Contexts down, engineers across, and in each cell the result of an arm; below them, across the whole width, the arms that
// do not depend on a context.
import * as Plot from '@observablehq/plot';
import { type Canvas, type Chart, isPointedAt, labelled, plain, roomFor, shortened, type Table } from './chart.ts';
import { heat, heatTurn, heatWorse, ink, onHeat, onPale } from './colours.ts';
import { largestCertain, shade } from './shade.ts';

export interface MatrixCell {
  readonly row: string;
  /** Null for the whole row. */
  readonly column: string | null;
  readonly value: number | null;
  readonly figure: string;
  /** Drawn below the value if there is room. */
  readonly around: string;
  /** The tooltip. */
  readonly says: string;
  /** What it is compared with; null: nothing, or the difference is not significant, so that it has no shade. */
  readonly against: { readonly baseline: number; readonly margin: number } | null;
  /** Where the cell leads; absent: nowhere. */
  readonly href?: string;
}

export interface MatrixData {
  readonly title: string;
  readonly caption: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Rows without columns, below the others. */
  readonly below: readonly string[];
  readonly cells: readonly MatrixCell[];
  readonly better: 'higher' | 'lower';
  /** The baseline of the cells. */
  readonly reference: string | null;
}

const rowHeight = 40;

/** Null if no cell has a value. */
export function matrixChart(data: MatrixData): Chart | null {
  const { title, caption, rows, columns, below, cells, reference } = data;
  if (cells.every(({ value }) => value === null)) return null;
  const description = `A heat map of ${rows.length + below.length} rows and ${columns.length} columns. Shaded cells differ from their reference by more than the 95\u00a0% interval of the difference: the further, the darker.`;
  const words = { title, description };
  return {
    ...words,
    caption,
    room: 'whole',
    legend:
      reference === null || cells.every(({ against }) => against === null)
        ? null
        : { kind: 'difference', from: `worse than ${reference}`, to: `better than ${reference}` },
    table: tableOf(rows, columns, below, cells),
    draw: (canvas) => labelled(drawn(data, canvas), words),
  };
}

interface Drawn extends MatrixCell {
  readonly strength: number;
}

function drawn({ rows, columns, below, cells, better }: MatrixData, canvas: Canvas): Element {
  const { document, width } = canvas;
  const tooltip = isPointedAt(canvas, cells.length) ? { title: 'says' } : {};
  const isLinked = cells.some(({ href }) => href !== undefined);
  const link = isLinked ? { href: 'href', ariaLabel: 'says' } : {};
  const through = isLinked ? { pointerEvents: 'none' as const } : {};
  const left = Math.max(60, roomFor([...rows, ...below], Math.min(190, width * 0.34)));
  const widest = columns.length < 3 ? 180 : 150;
  const across = Math.max(1, columns.length);
  const room = Math.min(width - left - 4, across * widest);
  const known = shaded(cells, better);
  const top = columns.length === 0 ? 6 : 24;
  const between = rows.length > 0 && below.length > 0 ? 14 : 0;
  const placeOf = (row: string): number => {
    const at = rows.indexOf(row);
    return at >= 0 ? at * rowHeight : rows.length * rowHeight + between + below.indexOf(row) * rowHeight;
  };
  const height = (rows.length + below.length) * rowHeight + between;
  const spanOf = ({ column }: MatrixCell): readonly [number, number] => {
    const at = column === null ? 0 : columns.indexOf(column);
    return column === null ? [0, room] : [(at * room) / across, ((at + 1) * room) / across];
  };
  const edge = 0.75;
  const box = {
    x1: (cell: MatrixCell) => spanOf(cell)[0] + edge,
    x2: (cell: MatrixCell) => spanOf(cell)[1] - edge,
    y1: (cell: MatrixCell) => placeOf(cell.row) + edge,
    y2: (cell: MatrixCell) => placeOf(cell.row) + rowHeight - edge,
  };
  const middle = (cell: MatrixCell): number => (spanOf(cell)[0] + spanOf(cell)[1]) / 2;
  const cellRoom = room / across;
  const hasAround = cellRoom >= 62;
  const words = (some: readonly Drawn[], fill: string): Plot.Markish[] => [
    Plot.text(some, {
      x: middle,
      y: (cell: Drawn) => placeOf(cell.row) + rowHeight / 2 - (hasAround && cell.around !== '' ? 6 : 0),
      text: 'figure',
      fontSize: 13,
      fontWeight: 600,
      fill,
      ...through,
    }),
    ...(hasAround
      ? [
          Plot.text(
            some.filter(({ around }) => around !== ''),
            {
              x: middle,
              y: (cell: Drawn) => placeOf(cell.row) + rowHeight / 2 + 9,
              text: 'around',
              fontSize: 11,
              fill,
              ...through,
            },
          ),
        ]
      : []),
  ];
  return Plot.plot({
    document,
    width,
    height: height + top + 2,
    marginLeft: left,
    marginRight: width - left - room,
    marginTop: top,
    marginBottom: 2,
    style: plain,
    x: { domain: [0, room], range: [left, left + room], axis: null },
    y: { domain: [0, Math.max(1, height)], range: [top, top + height], axis: null },
    marks: [
      Plot.text([...rows, ...below], {
        x: 0,
        y: (row: string) => placeOf(row) + rowHeight / 2,
        text: (row: string) => shortened(row, left),
        textAnchor: 'end',
        dx: -8,
        fill: ink,
      }),
      Plot.text(columns, {
        x: (column: string) => ((columns.indexOf(column) + 0.5) * room) / across,
        y: 0,
        text: (column: string) => shortened(column, cellRoom + 10),
        dy: -11,
        fill: ink,
        fontWeight: 600,
      }),
      Plot.rect(
        cells.filter(({ value }) => value === null),
        { ...box, fill: 'none', stroke: ink, strokeOpacity: 0.25, strokeDasharray: '2,2', ...link, ...tooltip },
      ),
      ...(hasAround
        ? [
            Plot.text(
              cells.filter(({ value }) => value === null),
              {
                x: middle,
                y: (cell: MatrixCell) => placeOf(cell.row) + rowHeight / 2,
                text: 'figure',
                fontSize: 11,
                fill: ink,
                ...through,
              },
            ),
          ]
        : []),
      Plot.rect(known, {
        ...box,
        fill: ({ strength }: Drawn) => (strength < 0 ? heatWorse : heat),
        fillOpacity: { value: ({ strength }: Drawn) => Math.abs(strength), scale: null },
        stroke: ink,
        strokeOpacity: 0.15,
        ...link,
        ...tooltip,
      }),
      ...words(
        known.filter(({ strength }) => Math.abs(strength) < heatTurn),
        onPale,
      ),
      ...words(
        known.filter(({ strength }) => Math.abs(strength) >= heatTurn),
        onHeat,
      ),
    ],
  });
}

/** Positive: better than what it is compared with. */
function shaded(cells: readonly MatrixCell[], better: MatrixData['better']): readonly Drawn[] {
  const known = cells.flatMap((cell) => (cell.value === null ? [] : [{ ...cell, value: cell.value }]));
  const compared = known.flatMap(({ value, against }) => (against === null ? [] : [{ value, ...against }]));
  const full = largestCertain(compared) || 1;
  return known.map((cell) => {
    const strength = cell.against === null ? 0 : shade({ value: cell.value, ...cell.against }, full);
    return { ...cell, strength: better === 'higher' ? strength : -strength };
  });
}

function tableOf(
  rows: readonly string[],
  columns: readonly string[],
  below: readonly string[],
  cells: readonly MatrixCell[],
): Table {
  const text = (row: string, column: string | null): string => {
    const found = cells.find((cell) => cell.row === row && cell.column === column);
    return found === undefined ? '' : `${found.figure} ${found.around}`.trim();
  };
  const isAlone = columns.length === 0;
  return {
    columns: ['shown', ...columns, ...(below.length === 0 ? [] : [isAlone ? 'value' : 'whatever is shown'])],
    rows: [
      ...rows.map((row) => [row, ...columns.map((column) => text(row, column)), ...(below.length === 0 ? [] : [''])]),
      ...below.map((row) => [row, ...columns.map(() => ''), text(row, null)]),
    ],
  };
}
