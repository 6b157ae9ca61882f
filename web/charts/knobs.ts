// The configurations of the environment: a strip for each knob that changed, with its value over stages and a dot at each change.
import * as Plot from '@observablehq/plot';
import type { ChartData, KnobCourse } from '../../schemas/chart-data.ts';
import {
  type Canvas,
  type Chart,
  drawnStages,
  isPointedAt,
  labelled,
  linked,
  plain,
  roomFor,
  shortened,
  stageAxis,
  type Table,
} from './chart.ts';
import { accent, ink } from './colours.ts';
import { capital, drawnOf, many, numberWords } from './words.ts';

/** More strips would be unreadable. */
const maxStrips = 40;

/** Null if there are no knobs or only one stage. */
export function knobsChart({ stages, knobs }: Pick<ChartData, 'stages' | 'knobs'>): Chart | null {
  const set = stages.filter((stage) =>
    knobs.some(({ values }) => values.some((one) => one.stage === stage && one.value !== null)),
  );
  const changed = knobs.filter((one) => changesOf(one) > 0);
  if (set.length < 2) return null;
  const shown = drawnKnobs(knobs);
  const words = {
    title: 'The configuration: knobs over stages',
    caption: `${capital(captionOf(knobs, changed, shown))}${drawnOf(drawnStages(set, shown.length).length, set.length)}`,
    description: `${many(shown.length, 'strip')}, one per changed knob: its value as a dash for each of ${many(set.length, 'stage')}, each strip on its own scale, a dot where it changed, its first and last value beside it.`,
  };
  return {
    ...words,
    room: 'whole',
    legend: null,
    table: tableOf(knobs, drawnStages(set, knobs.length)),
    draw: (canvas) => labelled(drawn(shown, drawnStages(set, shown.length), canvas), words),
  };
}

/** Those that changed, or of many those that changed most, in their order. */
export function drawnKnobs(knobs: readonly KnobCourse[]): readonly KnobCourse[] {
  const changed = knobs.filter((one) => changesOf(one) > 0);
  return changed.length <= maxStrips ? changed : mostChanged(changed);
}

function changesOf({ values }: KnobCourse): number {
  return values.filter(({ isChanged }) => isChanged).length;
}

/** Keeps the order. */
function mostChanged(changed: readonly KnobCourse[]): readonly KnobCourse[] {
  const most = new Set(changed.toSorted((a, b) => changesOf(b) - changesOf(a)).slice(0, maxStrips));
  return changed.filter((one) => most.has(one));
}

interface Point {
  readonly knob: string;
  readonly stage: number;
  /** 0 for its lowest value, 1 for its highest. */
  readonly height: number | null;
  readonly value: number | null;
  readonly isChanged: boolean;
}

function drawn(knobs: readonly KnobCourse[], stages: readonly number[], canvas: Canvas): Element {
  const { document, width } = canvas;
  const names = knobs.map(({ knob }) => knob);
  const left = roomFor(names, Math.min(150, width * 0.3)) + 50;
  const right = 56;
  const room = width - left - right;
  const high = 24;
  const points = knobs.flatMap((one) => pointsOf(one, stages));
  const known = points.filter(({ height }) => height !== null);
  const edges = knobs.flatMap(({ knob }) => {
    const own = known.filter((one) => one.knob === knob);
    return [{ knob, first: numberWords(own[0]?.value ?? null), last: numberWords(own.at(-1)?.value ?? null) }];
  });
  const place = { x: 'stage', y: 'height', fy: 'knob' } as const;
  return Plot.plot({
    document,
    width,
    height: names.length * high + 44,
    marginLeft: left,
    marginRight: right,
    marginTop: 6,
    marginBottom: 34,
    style: plain,
    x: { type: 'band', domain: stages, padding: 0, label: null },
    y: { axis: null, domain: [-0.25, 1.25] },
    fy: { domain: names, padding: 0.12, axis: null },
    marks: [
      Plot.frame({ fill: ink, fillOpacity: 0.04, stroke: 'none' }),
      Plot.text(edges, {
        fy: 'knob',
        text: ({ knob }: { knob: string }) => shortened(knob, left - 50),
        frameAnchor: 'left',
        textAnchor: 'start',
        dx: -left + 2,
      }),
      Plot.text(edges, {
        fy: 'knob',
        text: 'first',
        frameAnchor: 'left',
        textAnchor: 'end',
        dx: -6,
        fillOpacity: 0.75,
      }),
      Plot.text(edges, { fy: 'knob', text: 'last', frameAnchor: 'right', textAnchor: 'start', dx: 6, fontWeight: 600 }),
      stageAxis(stages, room, canvas),
      Plot.tickY(known, {
        ...place,
        stroke: accent,
        strokeWidth: 2,
        strokeOpacity: { value: ({ isChanged }: Point) => (isChanged ? 1 : 0.4), scale: null },
        inset: stages.length > 40 ? 0 : 2,
        ...linked(canvas, ({ knob, stage }: Point) => ({ knob, stage })),
        ...(isPointedAt(canvas, known.length)
          ? { title: ({ knob, stage, value }: Point) => `stage ${stage}: ${knob} is ${numberWords(value)}` }
          : {}),
      }),
      Plot.dot(
        known.filter(({ isChanged }) => isChanged),
        { ...place, r: stages.length > 40 ? 1.5 : 3, fill: accent },
      ),
    ],
  });
}

function pointsOf({ knob, values }: KnobCourse, stages: readonly number[]): readonly Point[] {
  const known = values.flatMap(({ value }) => value ?? []);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return stages.map((stage) => {
    const found = values.find((one) => one.stage === stage);
    const value = found?.value ?? null;
    const height = value === null ? null : most === least ? 0.5 : (value - least) / (most - least);
    return { knob, stage, height, value, isChanged: found?.isChanged ?? false };
  });
}

function tableOf(knobs: readonly KnobCourse[], stages: readonly number[]): Table {
  const rows = knobs.map(({ knob, values }) => [
    knob,
    ...stages.map((stage) => {
      const value = values.find((one) => one.stage === stage)?.value ?? null;
      return value === null ? '' : numberWords(value);
    }),
  ]);
  return { columns: ['knob', ...stages.map((stage) => `stage ${stage}`)], rows };
}

function captionOf(knobs: readonly KnobCourse[], changed: readonly KnobCourse[], shown: readonly KnobCourse[]): string {
  if (changed.length === 0)
    return knobs.length === 1 ? 'the only knob was never changed.' : `none of ${knobs.length} knobs was ever changed.`;
  const of = `${many(changed.length, 'knob')} of ${knobs.length} ${changed.length === 1 ? 'was' : 'were'} changed`;
  const left = shown.length === changed.length ? '' : `; the ${shown.length} that were changed most are drawn`;
  return `${of}, ${busiestWords(changed)}${left}.`;
}

function busiestWords(changed: readonly KnobCourse[]): string {
  const most = Math.max(...changed.map(changesOf));
  const busiest = changed.filter((one) => changesOf(one) === most);
  const often = most === 1 ? 'once' : most === 2 ? 'twice' : `${most} times`;
  const [first] = busiest;
  if (changed.length === 1) return `${first?.knob ?? ''}, ${often}`;
  if (busiest.length === changed.length) return `each of them ${often}`;
  return busiest.length === 1 ? `${first?.knob ?? ''} most often, ${often}` : `${busiest.length} of them ${often}`;
}
