// What makes the figures of a stage useless or its engineer blind, said at its end: a training curve without numbers, and failures
// of classes that no knob is about.
import type { Descriptor } from '../../../schemas/environment.ts';
import { escapeControls } from '../../base/escape.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { counted } from '../../base/quantity.ts';
import { failureClasses, failuresOf } from '../../producers/history/figures.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';

export function stageWarnings(stage: StageHistory, descriptor: Descriptor): readonly string[] {
  return [...curveWarnings(stage), ...classWarnings(stage, descriptor)].map((text) => `stage ${stage.stage}: ${text}`);
}

/** Of figures that are not a number in any point. */
function curveWarnings({ training }: StageHistory): readonly string[] {
  const curve = training?.data.curve ?? [];
  const names = [...new Set(curve.flatMap(({ values }) => Object.keys(values)))];
  return names.flatMap((name) => {
    const values = curve.flatMap(({ values: of }) => of[name] ?? []);
    const [first] = values;
    if (first === undefined || values.some((value) => typeof value === 'number')) return [];
    const reason = typeof first === 'number' ? '' : first.reason;
    const points = counted(values.length, 'point');
    return [
      `${escapeControls(name)} is ${escapeControls(reason)} in all ${points} of the training curve; the trainer may have diverged`,
    ];
  });
}

/** A descriptor that lists its failure classes is refused where a knob names another one. */
function classWarnings(stage: StageHistory, { knobs, failureClasses: listed }: Descriptor): readonly string[] {
  const named = [...new Set(knobs.flatMap(({ provokes = [], teaches = [] }) => [...provokes, ...teaches]))];
  const seen = failureClasses(failuresOf(stage)).map((one) => one.class);
  const isBlind = seen.length > 0 && named.length > 0 && !seen.some((one) => named.includes(one));
  if (listed !== undefined || !isBlind) return [];
  const [failures, classes] = [seen, named].map((names) => joinWithAnd(names.map(escapeControls)));
  return [
    `failures are of the ${seen.length === 1 ? 'class' : 'classes'} ${failures}, but the knobs provoke or teach ${classes}: no knob responds to these failures`,
  ];
}
