// The course of a run: its valid rate, or another measure, on each suite over its stages, with 95 % intervals.
import * as Plot from '@observablehq/plot';
import type { ChartData, RateAt } from '../../schemas/chart-data.ts';
import { type Canvas, type Chart, ground, labelled, linked, plain, shareAxes, type Table } from './chart.ts';
import { colourOf } from './colours.ts';
import { type Course, ceiling, changeDirection, suiteCourses } from './rates.ts';
import { capital, rateWords } from './words.ts';

/** Null if nothing was evaluated. */
export function courseChart(
  { stages, rates }: Pick<ChartData, 'stages' | 'rates'>,
  measure: string = 'valid',
): Chart | null {
  return coursesChart(suiteCourses(rates, measure), stages, {
    title: `The course: ${measure} rate by suite`,
    label: `${measure} rate`,
    of: 'suite',
  });
}

interface CoursesWords {
  readonly title: string;
  /** The quantity on the axis. */
  readonly label: string;
  /** What each line is of. */
  readonly of: 'suite' | 'run';
}

/** Lines over stages. Null if there are none. */
export function coursesChart(
  courses: readonly Course[],
  stages: readonly number[],
  { title, label, of }: CoursesWords,
): Chart | null {
  if (courses.length === 0) return null;
  const words = {
    title,
    caption: capital(captionOf(courses)),
    description: `Lines over stages, one per ${of}, with bars for their 95\u00a0% intervals: ${courses.map(({ name }) => name).join(', ')}.`,
  };
  return {
    ...words,
    room: stages.length < 2 ? 'half' : 'whole',
    legend: { kind: 'series', entries: courses.map(({ name }, i) => ({ name, colour: colourOf(i) })) },
    table: tableOf(courses, stages),
    draw: (canvas) => labelled(drawn(courses, stages, label, canvas), words),
  };
}

/** The distance between the bars of suites, so that none hides another. */
const apart = 5;

function drawn(courses: readonly Course[], all: readonly number[], label: string, canvas: Canvas): Element {
  const { document, width } = canvas;
  const measured = new Set(courses.flatMap(({ points }) => points.map(({ stage }) => stage)));
  const stages = all.filter((stage) => measured.has(stage));
  const end = ceiling(courses.flatMap(({ points }) => points));
  const room = width - 60;
  const spread = Math.min(apart, ((room / stages.length) * 0.6) / courses.length);
  const isDense = room / stages.length < 14;
  return Plot.plot({
    document,
    width,
    height: Math.min(300, Math.max(220, width * 0.4)),
    marginLeft: 50,
    marginRight: 10,
    marginTop: 22,
    marginBottom: 34,
    style: plain,
    x: { type: 'point', domain: stages, padding: 0.5, label: null },
    y: { domain: [0, end], label: null },
    marks: [
      ...shareAxes({ canvas, stages, room, ticks: 5, label }),
      ...courses.toReversed().flatMap(({ points }, fromLast) => {
        const i = courses.length - 1 - fromLast;
        const colour = colourOf(i);
        const place = { x: 'stage', y: 'value', dx: (i - (courses.length - 1) / 2) * spread } as const;
        const bars = points.filter(({ low, high }) => low !== null && high !== null);
        const band = { x: 'stage', y1: 'low', y2: 'high', dx: place.dx } as const;
        return [
          isDense
            ? Plot.areaY(bars, { ...band, fill: colour, fillOpacity: 0.15 })
            : Plot.ruleX(bars, { ...band, stroke: colour, strokeOpacity: 0.55, strokeWidth: 2 }),
          Plot.line(points, {
            ...place,
            stroke: colour,
            strokeWidth: 2,
            strokeDasharray: points.length < measured.size ? '3,3' : 'none',
          }),
          ...(isDense
            ? []
            : [
                Plot.dot(points, {
                  ...place,
                  r: 3.5,
                  fill: colour,
                  ...linked(canvas, ({ stage, split }: RateAt) => ({ stage, split })),
                  title: (one: RateAt) => `after stage ${one.stage}, ${one.suite}: ${rateWords(one)}`,
                }),
              ]),
        ];
      }),
      ground(),
    ],
  });
}

function tableOf(courses: readonly Course[], stages: readonly number[]): Table {
  const rows = stages.map((stage) => [
    String(stage),
    ...courses.map(({ points }) => {
      const found = points.find((one) => one.stage === stage);
      return found === undefined ? '' : rateWords(found);
    }),
  ]);
  return { columns: ['stage', ...courses.map(({ name }) => name)], rows };
}

function captionOf(courses: readonly Course[]): string {
  const course = courses[0];
  const [first, last] = [course?.points[0], course?.points.at(-1)];
  if (course === undefined || first === undefined || last === undefined) return '';
  if (first === last) return `${course.name}: ${rateWords(last)} after stage ${last.stage}, the only one measured.`;
  const way = changeDirection(first, last);
  const overlap = way === null ? '' : `; their 95\u00a0% intervals ${way === 0 ? 'overlap' : 'do not overlap'}`;
  return `${course.name} went from ${rateWords(first)} after stage ${first.stage} to ${rateWords(last)} after stage ${last.stage}${overlap}.`;
}
