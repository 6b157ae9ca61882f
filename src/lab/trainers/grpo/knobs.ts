// What of the embedded trainer an engineer may change: within these ranges it learns, so that a proposal cannot break a run. A
// run file may set a hyper-parameter beyond them, but not as a knob.
import type { grpoKnobNames, TrainerKnob } from '../../../../schemas/run-file.ts';
import { type GivenSettings, settingsWith } from './settings.ts';

type Name = (typeof grpoKnobNames)[number];

const offered: Readonly<Record<Name, Omit<TrainerKnob, 'name' | 'start'>>> = {
  learningRate: { meaning: 'the step size of an update', range: { min: 0.0005, max: 0.02 }, step: 0.0005 },
  groups: { meaning: 'tasks in an update', range: { min: 4, max: 96 }, step: 4, integer: true },
  samples: {
    meaning: 'plans for each task, which are compared with one another',
    range: { min: 2, max: 32 },
    step: 2,
    integer: true,
  },
  bonus: {
    meaning: 'the reward of an optimal plan beside the 1 of a valid one',
    range: { min: 0, max: 2 },
    step: 0.05,
  },
  entropy: { meaning: 'the weight of the entropy bonus', range: { min: 0, max: 0.05 }, step: 0.001 },
  value: { meaning: 'the weight of the value loss', range: { min: 0, max: 1 }, step: 0.05 },
};

/** They start as the run file sets them, or else as usual. */
export function grpoKnobs(names: readonly Name[], given: GivenSettings): readonly TrainerKnob[] {
  const settings = settingsWith(given);
  return [...new Set(names)].map((name) => ({ name, ...offered[name], start: settings[name] }));
}
