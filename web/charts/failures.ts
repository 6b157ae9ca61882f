// The failure classes by stage, as stacked shares.
import * as Plot from '@observablehq/plot';
import type { ChartData } from '../../schemas/chart-data.ts';
import {
  type Canvas,
  type Chart,
  clickedThrough,
  ground,
  labelled,
  linked,
  plain,
  roomOf,
  shareAxes,
  type Table,
} from './chart.ts';
import { colourOf, page } from './colours.ts';
import { capital, percent } from './words.ts';

type FailureData = Pick<ChartData, 'stages' | 'failures' | 'failuresOf'>;

interface Part {
  readonly stage: number;
  readonly class: string;
  readonly share: number;
}

interface Piece extends Part {
  readonly from: number;
  readonly to: number;
}

/** The rarest classes beyond this number are drawn as one. */
const maxClasses = 6;
const rest = 'other ways';

/** Null if no shares of failures are recorded. */
export function failuresChart({ stages: all, failures, failuresOf }: FailureData): Chart | null {
  const known = failures.flatMap(({ stage, class: name, share }) =>
    share === null ? [] : [{ stage, class: name, share }],
  );
  if (known.length === 0) return null;
  const stages = all.filter((stage) => known.some((one) => one.stage === stage));
  const classes = commonest(known);
  const parts = gathered(known, classes);
  const names = parts.some((one) => one.class === rest) ? [...classes, rest] : classes;
  const of = failuresOf === 'tries' ? 'of all tries' : 'of what failed';
  const words = {
    title: 'How it fails',
    caption: capital(captionOf(known, stages, of)),
    description: `Columns over stages, each with the shares ${of} by failure class: ${names.join(', ')}.`,
  };
  return {
    ...words,
    room: roomOf(stages),
    legend: { kind: 'series', entries: names.map((name, i) => ({ name, colour: colourFor(name, i) })) },
    table: tableOf(known, stages),
    draw: (canvas) => labelled(drawn(parts, names, { stages, of }, canvas), words),
  };
}

function colourFor(name: string, index: number): string {
  return name === rest ? colourOf(Number.POSITIVE_INFINITY) : colourOf(index);
}

function commonest(known: readonly Part[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { class: name, share } of known) sums.set(name, (sums.get(name) ?? 0) + share);
  const names = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.length <= maxClasses + 1 ? names : names.slice(0, maxClasses);
}

function gathered(known: readonly Part[], classes: readonly string[]): readonly Part[] {
  const own = known.filter((one) => classes.includes(one.class));
  const others = Map.groupBy(
    known.filter((one) => !classes.includes(one.class)),
    ({ stage }) => stage,
  );
  return [
    ...own,
    ...Array.from(others, ([stage, parts]) => ({
      stage,
      class: rest,
      share: parts.reduce((sum, { share }) => sum + share, 0),
    })),
  ];
}

function drawn(
  parts: readonly Part[],
  names: readonly string[],
  { stages, of }: { readonly stages: readonly number[]; readonly of: string },
  canvas: Canvas,
): Element {
  const { document, width } = canvas;
  const [left, right] = [50, 6];
  const room = Math.min(width - left - right, stages.length * 110);
  const high = 230;
  const sums = stages.map((stage) => sumOf(parts.filter((one) => one.stage === stage)));
  const end = Math.min(1, Math.ceil(Math.max(...sums) * 10 - 1e-9) / 10);
  const pieces = stages.flatMap((stage) =>
    piled(
      names,
      parts.filter((one) => one.stage === stage),
    ),
  );
  const isWide = room / stages.length >= 34;
  const legible = pieces.filter(({ share }) => isWide && (share / end) * high >= 18);
  return Plot.plot({
    document,
    width,
    height: high + 60,
    marginLeft: left,
    marginRight: width - left - room,
    marginTop: 26,
    marginBottom: 34,
    style: plain,
    x: { type: 'band', domain: stages, padding: stages.length > 30 ? 0 : 0.15, label: null },
    y: { domain: [0, end], label: null },
    marks: [
      ...shareAxes({ canvas, stages, room, ticks: 5, label: `share ${of}` }),
      Plot.barY(pieces, {
        x: 'stage',
        y1: 'from',
        y2: 'to',
        fill: (one: Piece) => colourFor(one.class, names.indexOf(one.class)),
        ...linked(canvas, ({ stage, class: name }: Piece) => ({
          stage,
          ...(name === rest ? {} : { failureClass: name }),
        })),
        title: (one: Piece) => `stage ${one.stage}, ${one.class}: ${percent(one.share)} ${of}`,
        insetTop: 0.5,
        insetBottom: 0.5,
      }),
      Plot.text(legible, {
        ...clickedThrough(canvas),
        x: 'stage',
        y: ({ from, to }: Piece) => (from + to) / 2,
        text: ({ share }: Piece) => percent(share, 0),
        fill: page,
        fontWeight: 600,
      }),
      ground(),
    ],
  });
}

/** Stacked in the order of their names. */
function piled(names: readonly string[], parts: readonly Part[]): readonly Piece[] {
  let from = 0;
  return names.flatMap((name) => {
    const part = parts.find((one) => one.class === name);
    if (part === undefined) return [];
    const piece = { ...part, from, to: from + part.share };
    from = piece.to;
    return [piece];
  });
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { share }) => sum + share, 0);
}

function tableOf(known: readonly Part[], stages: readonly number[]): Table {
  const names = [...new Set(known.map((one) => one.class))];
  const rows = stages.map((stage) => [
    String(stage),
    ...names.map((name) => {
      const found = known.find((one) => one.stage === stage && one.class === name);
      return found === undefined ? '' : percent(found.share);
    }),
  ]);
  return { columns: ['stage', ...names], rows };
}

function captionOf(known: readonly Part[], stages: readonly number[], of: string): string {
  const [first, last] = [stages[0] ?? 1, stages.at(-1) ?? 1];
  const at = (stage: number) => known.filter((one) => one.stage === stage).toSorted((a, b) => b.share - a.share);
  const now = at(last)[0];
  if (now === undefined) return '';
  const before = at(first).find((one) => one.class === now.class)?.share ?? 0;
  const was = first === last ? '' : `, after ${percent(before)} in stage ${first}`;
  return `in stage ${last} ${now.class} is the commonest way to fail: ${percent(now.share)} ${of}${was}.`;
}
