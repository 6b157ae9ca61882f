// The valid rate of each family after each stage.
import type { ChartData } from '../../schemas/chart-data.ts';
import { type Chart, labelled, roomOf } from './chart.ts';
import { type Cell, drawHeatMap, type HeatMap, heatTable, shadingFromFirst } from './heat-map.ts';
import { type Course, changeDirection, familyCourses } from './rates.ts';
import { capital, familiesWords, many, rateWords } from './words.ts';

/** Null if no family was evaluated. */
export function masteryChart(data: Pick<ChartData, 'stages' | 'families' | 'rates'>): Chart | null {
  const courses = familyCourses(data, 'valid');
  if (courses.length === 0) return null;
  const families = courses.map(({ name }) => name);
  const stages = data.stages.filter((stage) => courses.some(({ points }) => points.some((one) => one.stage === stage)));
  const shading = shadingFromFirst(new Map(courses.map(({ name, points }) => [name, points])));
  const cells = courses.flatMap(({ name, points }) =>
    stages.map((stage): Cell => {
      const rate = points.find((one) => one.stage === stage);
      const figure = rate === undefined ? 'not recorded' : rateWords(rate);
      const says = `after stage ${stage}, family ${name}: ${figure}`;
      return {
        stage,
        family: name,
        value: rate?.value ?? null,
        strength: shading.strength(name, stage),
        figure,
        says,
        isMarked: false,
      };
    }),
  );
  const words = {
    title: 'What it mastered: valid rate by family',
    caption: `${capital(captionOf(courses))}${shading.words}`,
    description: `A heat map of ${many(stages.length, 'stage')} by ${many(families.length, 'family', 'families')}: the share of the validation suite that was solved.${shading.words} The table has the 95\u00a0% intervals.`,
  };
  const map: HeatMap = {
    ...{ stages, families, cells },
    placeOf: (family, stage) => ({ family, split: 'validation', ...(stage === undefined ? {} : { stage }) }),
  };
  return {
    ...words,
    room: roomOf(stages),
    legend: shading.legend,
    table: heatTable(map),
    draw: (canvas) => labelled(drawHeatMap(map, canvas), words),
  };
}

function captionOf(courses: readonly Course[]): string {
  const ends = courses.map(({ name, points }) => ({ name, first: points[0], last: points.at(-1) }));
  const best = ends.toSorted((a, b) => (b.last?.value ?? 0) - (a.last?.value ?? 0))[0];
  const top = best?.last === undefined ? '' : `family ${best.name} is solved most often, ${rateWords(best.last)}`;
  const stages = new Set(courses.flatMap(({ points }) => points.map(({ stage }) => stage)));
  if (stages.size < 2) return `of ${many(courses.length, 'family', 'families')}, measured after one stage, ${top}.`;
  const ways = ends.map(({ name, first, last }) => ({ name, way: changeDirection(first, last) }));
  if (ways.every(({ way }) => way === null)) return `of ${many(courses.length, 'family', 'families')}, ${top}.`;
  const risen = ways.filter(({ way }) => way === 1).length;
  const fallen = ways.filter(({ way }) => way === -1).map(({ name }) => name);
  const fell = fallen.length === 0 ? 'none' : familiesWords(fallen);
  return `by more than their 95\u00a0% intervals, ${many(risen, 'family', 'families')} of ${courses.length} improved and ${fell} fell; ${top}.`;
}
