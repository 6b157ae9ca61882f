// The course of each family as a small chart: improved, forgotten or unchanged.
import * as Plot from '@observablehq/plot';
import type { ChartData, RateAt } from '../../schemas/chart-data.ts';
import {
  type Canvas,
  type Chart,
  ground,
  isPointedAt,
  labelled,
  linked,
  plain,
  shareAxes,
  shortened,
  type Table,
} from './chart.ts';
import { accent } from './colours.ts';
import { type Course, ceiling, changeDirection, familyCourses } from './rates.ts';
import { capital, familiesWords, listed, many, rateWords } from './words.ts';

/** Null if a heat map shows the same: one stage, or no families. */
export function familyCoursesChart(data: Pick<ChartData, 'stages' | 'families' | 'rates'>): Chart | null {
  const courses = familyCourses(data, 'valid');
  if (courses.length === 0 || courses.every(({ points }) => points.length < 2)) return null;
  const words = {
    title: 'Family by family: valid rate with its 95\u00a0% interval',
    caption: capital(captionOf(courses)),
    description: `${many(courses.length, 'small chart')}, one per family, each a line over stages with the 95\u00a0% interval around it, all on one scale.`,
  };
  return {
    ...words,
    room: 'whole',
    legend: null,
    table: tableOf(courses, data.stages),
    draw: (canvas) => labelled(drawn(courses, data.stages, canvas), words),
  };
}

const [narrowest, high, gap] = [132, 92, 26];

/** With more points, only the line is drawn; a single point always has a dot. */
const maxDots = 24;

function drawn(courses: readonly Course[], all: readonly number[], canvas: Canvas): Element {
  const { document, width } = canvas;
  const measured = new Set(courses.flatMap(({ points }) => points.map(({ stage }) => stage)));
  const stages = all.filter((stage) => measured.has(stage));
  const most = Math.max(1, Math.floor((width - 60) / narrowest));
  const down = Math.ceil(courses.length / most);
  const across = Math.ceil(courses.length / down);
  const points = courses.flatMap((course, i) =>
    course.points.map((one) => ({ ...one, column: i % across, row: Math.floor(i / across) })),
  );
  const lone = new Set(courses.filter((course) => course.points.length === 1).map(({ name }) => name));
  const dots = points.filter(({ family }) => stages.length <= maxDots || lone.has(family ?? ''));
  const room = (width - 60) / across - 14;
  const names = courses.map(({ name }, i) => {
    return { name, title: titleOf(name, room), column: i % across, row: Math.floor(i / across) };
  });
  const place = { x: 'stage', fx: 'column', fy: 'row' } as const;
  const bars = points.filter(({ low: from, high: to }) => from !== null && to !== null);
  return Plot.plot({
    document,
    width,
    height: down * (high + gap) + 40,
    marginLeft: 50,
    marginRight: 10,
    marginTop: 22,
    marginBottom: 34,
    style: plain,
    fx: { axis: null, padding: 0.1, domain: Array.from({ length: across }, (_, i) => i) },
    fy: { axis: null, padding: gap / (high + gap), domain: Array.from({ length: down }, (_, i) => i) },
    x: { type: 'point', domain: stages, padding: 0.4, label: null },
    y: { domain: [0, ceiling(points)], label: null },
    marks: [
      ...shareAxes({ canvas, stages, room, ticks: 3, label: null }),
      Plot.areaY(bars, { ...place, y1: 'low', y2: 'high', fill: accent, fillOpacity: 0.18 }),
      Plot.line(points, { ...place, y: 'value', stroke: accent, strokeWidth: 2, z: ({ family }: RateAt) => family }),
      Plot.dot(dots, {
        ...place,
        y: 'value',
        r: 2.5,
        fill: accent,
        ...linked(canvas, ({ stage, family, split }: RateAt) => ({
          stage,
          split,
          ...(family === null ? {} : { family }),
        })),
        ...(isPointedAt(canvas, dots.length) ? { title: saysOf } : {}),
      }),
      ground(),
      Plot.text(names, {
        fx: 'column',
        fy: 'row',
        text: 'title',
        ...linked(canvas, ({ name }: { name: string }) => ({ family: name })),
        frameAnchor: 'top-left',
        dy: -15,
        fontWeight: 600,
      }),
    ],
  });
}

/** A name is often a number, so "family" is written before it if there is room. */
function titleOf(name: string, room: number): string {
  const whole = `family ${name}`;
  return shortened(whole, room) === whole ? whole : shortened(name, room);
}

function saysOf(one: RateAt): string {
  return `after stage ${one.stage}, ${one.family === null ? 'all families' : `family ${one.family}`}: ${rateWords(one)}`;
}

function tableOf(courses: readonly Course[], stages: readonly number[]): Table {
  const measured = stages.filter((stage) => courses.some(({ points }) => points.some((one) => one.stage === stage)));
  const rows = courses.map(({ name, points }) => [
    name,
    ...measured.map((stage) => {
      const found = points.find((one) => one.stage === stage);
      return found === undefined ? '' : rateWords(found);
    }),
  ]);
  return { columns: ['family', ...measured.map((stage) => `after ${stage}`)], rows };
}

function captionOf(courses: readonly Course[]): string {
  const directions = courses.map(({ name, points }) => ({ name, way: changeDirection(points[0], points.at(-1)) }));
  if (directions.every(({ way }) => way === null))
    return `the courses of ${many(courses.length, 'family', 'families')}, without intervals.`;
  const [risen, fallen] = [1, -1].map((way) => directions.filter((one) => one.way === way).map(({ name }) => name));
  const parts = [
    ...(risen === undefined || risen.length === 0 ? [] : [`${named(risen, directions.length)} rose`]),
    ...(fallen === undefined || fallen.length === 0 ? [] : [`${named(fallen, directions.length)} fell`]),
  ];
  const moved = parts.length === 0 ? 'no family moved' : listed(parts);
  return `from the first stage to the last, ${moved} by more than 95\u00a0% intervals allow for.`;
}

const fewNames = 4;

/** Names are often numbers, so they are never listed beside a count. */
function named(names: readonly string[], all: number): string {
  if (names.length === all && all > 1) return `all ${many(all, 'family', 'families')}`;
  if (names.length <= fewNames) return familiesWords(names);
  return `${names.length} of ${many(all, 'family', 'families')}`;
}
