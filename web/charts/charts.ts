// All charts of a run, in their order on the page. Charts without data are left out.
import type { ChartData } from '../../schemas/chart-data.ts';
import { type Chart, drawnStages } from './chart.ts';
import { courseChart } from './course.ts';
import { failuresChart } from './failures.ts';
import { familyCoursesChart } from './family-courses.ts';
import { knobsChart } from './knobs.ts';
import { masteryChart } from './mastery.ts';
import { mixChart } from './mix.ts';
import { signalChart } from './signal.ts';
import { drawnOf } from './words.ts';

const makers = {
  course: courseChart,
  mix: mixChart,
  mastery: masteryChart,
  families: familyCoursesChart,
  failures: failuresChart,
  signal: signalChart,
  knobs: knobsChart,
} as const;

export type ChartName = keyof typeof makers;

export function chartsOf(data: ChartData): readonly (Chart & { readonly name: ChartName })[] {
  const stages = drawnStages(data.stages, data.families.length);
  const shown = stages.length === data.stages.length ? data : ofStages(data, new Set(stages));
  const left = drawnOf(stages.length, data.stages.length);
  return (Object.keys(makers) as ChartName[]).flatMap((name) => {
    const chart = makers[name](name === 'knobs' ? data : shown);
    if (chart === null) return [];
    const caption = name === 'knobs' ? chart.caption : `${chart.caption}${left}`;
    return [{ ...chart, caption, name }];
  });
}

/** Knobs keep all stages here, because their changes are counted over all of them. */
function ofStages(data: ChartData, stages: ReadonlySet<number>): ChartData {
  const only = <Row extends { readonly stage: number }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ stage }) => stages.has(stage));
  return {
    ...data,
    stages: data.stages.filter((stage) => stages.has(stage)),
    shares: only(data.shares),
    rates: only(data.rates),
    failures: only(data.failures),
    signal: only(data.signal),
  };
}
