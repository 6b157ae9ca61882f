// All charts of a run, in the order in which they tell it. Those that have nothing to show are left out.
import type { ChartData } from '../../schemas/chart-data.ts';
import type { Chart } from './chart.ts';
import { courseChart } from './course.ts';
import { failuresChart } from './failures.ts';
import { groupCoursesChart } from './group-courses.ts';
import { knobsChart } from './knobs.ts';
import { masteryChart } from './mastery.ts';
import { mixChart } from './mix.ts';
import { signalChart } from './signal.ts';

const makers = {
  course: courseChart,
  mix: mixChart,
  mastery: masteryChart,
  groups: groupCoursesChart,
  failures: failuresChart,
  signal: signalChart,
  knobs: knobsChart,
} as const;

export type ChartName = keyof typeof makers;

export function chartsOf(data: ChartData): readonly (Chart & { readonly name: ChartName })[] {
  return (Object.keys(makers) as ChartName[]).flatMap((name) => {
    const chart = makers[name](data);
    return chart === null ? [] : [{ ...chart, name }];
  });
}
