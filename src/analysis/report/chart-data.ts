// The figures of a run that charts are drawn from, out of its own history: no table is asked, so that a report costs the
// same whatever the number of rollouts.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { ChartData, KnobCourse, RateAt, SignalAt } from '../../../schemas/chart-data.ts';
import { configurationOf, sharesIn, turn } from '../../producers/history/configurations.ts';
import {
  failureClasses,
  failuresOf,
  familiesOf,
  rateOf,
  signalOf,
  validationOf,
} from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { StageHistory } from '../../producers/run/history.ts';
import { isHidden } from '../history/hidden.ts';

type Evaluation = EventData['EvaluationRecorded'];

/** `isOpen`: also what no engineer is ever shown. */
export function chartDataOf(read: RunRead, isOpen: boolean): ChartData {
  const { stages } = read.history;
  const failures = stages.map((one) => ({ stage: one.stage, classes: failureClasses(failuresOf(one)) }));
  return {
    stages: stages.map(({ stage }) => stage),
    families: read.descriptor?.families.map(({ family }) => family) ?? [],
    shares: stages.flatMap(({ stage }) =>
      sharesIn(read.descriptor, configurationOf(read, stage)).map((one) => ({ stage, ...one })),
    ),
    rates: stages.flatMap((one) => ratesOf(one, isOpen)),
    failures: failures.flatMap(({ stage, classes }) => classes.map((one) => ({ stage, ...one }))),
    failuresOf: wholeOf(failures.map(({ classes }) => classes)),
    signal: stages.flatMap(signalsOf),
    knobs: knobsOf(read),
  };
}

const measures = ['valid', 'optimal'] as const;

function ratesOf(history: StageHistory, isOpen: boolean): readonly RateAt[] {
  const watched = validationOf(history)?.data ?? null;
  const others = history.evaluations.map(({ data }) => data).filter((one) => one.split !== 'validation');
  const shown = [...(watched === null ? [] : [watched]), ...others].filter((one) => isOpen || !isHidden(one));
  return shown.flatMap((one) => {
    const families = one === watched ? [null, ...familiesOf(one)] : [null];
    return families.flatMap((family) => measures.flatMap((measure) => rateAt(history.stage, one, measure, family)));
  });
}

function rateAt(stage: number, evaluation: Evaluation, measure: string, family: string | null): readonly RateAt[] {
  const { value, low, high, of } = rateOf(evaluation, measure, family);
  if (value === null) return [];
  return [{ suite: evaluation.suite.name, split: evaluation.split, measure, family, stage, value, low, high, of }];
}

function wholeOf(stages: readonly (readonly { readonly share: number | null }[])[]): ChartData['failuresOf'] {
  const told = stages.filter((classes) => classes.some(({ share }) => share !== null));
  if (told.length === 0) return null;
  const sums = told.map((classes) => classes.reduce((sum, { share }) => sum + (share ?? 0), 0));
  return sums.every((sum) => Math.abs(sum - 1) < 1e-9) ? 'failed' : 'tries';
}

function signalsOf(history: StageHistory): readonly SignalAt[] {
  const { training, evaluations, summaries, completed, stage } = history;
  const alerts = [training, ...evaluations, ...summaries, completed].flatMap((one) => one?.data.alerts ?? []);
  const collapsed = alerts.filter(({ kind }) => kind === 'signal-collapse').map(({ family }) => family);
  const families = [null, ...new Set(training?.data.learningSignal?.flatMap(({ family }) => family ?? []))];
  return families.map((family) => {
    return { stage, family, share: signalOf(history, family), hasCollapsed: collapsed.includes(family) };
  });
}

/** In the order of the environment. */
function knobsOf(read: RunRead): KnobCourse[] {
  const steps = new Map(read.descriptor?.knobs.map(({ name, step }) => [name, step]));
  const configurations = read.history.stages.map(({ stage }) => ({
    stage,
    knobs: new Map(configurationOf(read, stage)?.knobs.map((one) => [one.knob, one])),
  }));
  const families = new Map(
    configurations.flatMap(({ knobs }) => Array.from(knobs, ([knob, { family }]) => [knob, family])),
  );
  const names = new Set([...steps.keys(), ...families.keys()]);
  return [...names].flatMap((knob) => {
    if (!families.has(knob)) return [];
    const values = configurations.map(({ stage, knobs }, i) => {
      const value = knobs.get(knob)?.value ?? null;
      const before = configurations[i - 1]?.knobs.get(knob)?.value ?? null;
      const isChanged = i > 0 && value !== null && turn(steps.get(knob), before, value).isChanged;
      return { stage, value, isChanged };
    });
    return [{ knob, family: families.get(knob) ?? null, values }];
  });
}
