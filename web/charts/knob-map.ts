// The configurations of the environment as a heat map: changed knobs down, stages across, each knob shaded within its own range,
// with a frame where a decision changed it.
import type { ChartData, KnobCourse } from '../../schemas/chart-data.ts';
import { type Chart, drawnStages, labelled } from './chart.ts';
import { accent } from './colours.ts';
import { type Cell, drawHeatMap, type HeatMap } from './heat-map.ts';
import { drawnKnobs, knobsChart } from './knobs.ts';
import { many, numberWords } from './words.ts';

/** Null if no knob changed. */
export function knobMapChart(data: Pick<ChartData, 'stages' | 'knobs'>): Chart | null {
  const strips = knobsChart(data);
  const knobs = drawnKnobs(data.knobs);
  if (strips === null || knobs.length === 0) return null;
  const set = data.stages.filter((stage) => knobs.some(({ values }) => values.some((one) => one.stage === stage)));
  const stages = drawnStages(set, knobs.length);
  const words = {
    title: 'The configuration: knobs by family over stages',
    description: `A heat map of ${many(knobs.length, 'changed knob')} by ${many(stages.length, 'stage')}: the darker a cell, the higher the value within the range that the knob had. Frames mark changes.`,
  };
  const map: HeatMap = {
    stages,
    families: knobs.map(({ knob }) => knob),
    cells: knobs.flatMap((one) => cellsOf(one, stages)),
    placeOf: (knob, stage) => ({ knob, ...(stage === undefined ? {} : { stage }) }),
    textOf: ({ value }) => numberWords(value),
    frame: accent,
  };
  return {
    ...strips,
    ...words,
    caption: `${strips.caption} Frames mark changes.`,
    legend: { kind: 'ramp', from: 'lowest value of the knob', to: 'highest' },
    draw: (canvas) => labelled(drawHeatMap(map, canvas), words),
  };
}

function cellsOf({ knob, values }: KnobCourse, stages: readonly number[]): readonly Cell[] {
  const known = values.flatMap(({ value }) => value ?? []);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return stages.map((stage) => {
    const found = values.find((one) => one.stage === stage);
    const value = found?.value ?? null;
    const isChanged = found?.isChanged ?? false;
    const figure = numberWords(value);
    return {
      ...{ stage, family: knob, value, figure },
      strength: value === null || most === least ? 0 : (value - least) / (most - least),
      says: `stage ${stage}: ${knob} ${value === null ? 'has no value' : `is ${figure}`}${isChanged ? ', changed' : ''}`,
      isMarked: isChanged,
    };
  });
}
