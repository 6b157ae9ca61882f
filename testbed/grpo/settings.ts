// The settings of the embedded trainer. The defaults were measured to learn well within half a minute. A run file can set all of them
// except how often to save, which does not affect the result.

import { IcecoreError } from '../../schemas/errors.ts';
import type { HyperparameterEntry } from '../../src/library/plugins/index.ts';

export interface Settings {
  /** Number of sample groups in an update, one per task. */
  readonly groups: number;
  /** Number of plans per sample group. */
  readonly samples: number;
  readonly learningRate: number;
  /** The weight of the entropy bonus. */
  readonly entropy: number;
  /** The weight of the value loss. */
  readonly value: number;
  /** The bonus of an optimal plan, in addition to 1 for a valid one. */
  readonly bonus: number;
  /** What every step until the final arrival of each agent costs a valid plan. */
  readonly stepPenalty: number;
  /** The longest plan in training, as a share of the steps that the rules allow. */
  readonly horizon: number;
  /** Number of updates between saves. */
  readonly saveEvery: number;
}

export const defaults: Settings = {
  groups: 24,
  samples: 8,
  learningRate: 0.005,
  entropy: 0.005,
  value: 0.25,
  bonus: 0.35,
  stepPenalty: 0,
  horizon: 0.5,
  saveEvery: 200,
};

/** The given settings; the others have their defaults. */
export type GivenSettings = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

export function settingsWith(given: GivenSettings): Settings {
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** A valid plan always earns more than a failed one. */
const leastReward = 0.1;

/** The reward of a valid plan; a failed one earns 0. */
export function rewardOfValid(
  cost: number,
  isOptimal: boolean,
  { bonus, stepPenalty }: Pick<Settings, 'bonus' | 'stepPenalty'>,
): number {
  return Math.max(leastReward, 1 - stepPenalty * cost) + (isOptimal ? bonus : 0);
}

/** Number of parts of an update, independent of the number of threads, so that sums are added in one order. */
export const shards = 12;

/** Engineers may change a hyper-parameter within `knobRange`, where every value learns; a run may set it within `range`. */
export const hyperparameters: Readonly<Record<Exclude<keyof Settings, 'saveEvery'>, HyperparameterEntry>> = {
  learningRate: {
    meaning: 'the step size of an update',
    start: defaults.learningRate,
    range: { min: 0.000001, max: 1 },
    knobRange: { min: 0.0005, max: 0.02 },
    step: 0.0005,
  },
  groups: {
    meaning: 'tasks in an update',
    start: defaults.groups,
    range: { min: 1, max: 4096 },
    knobRange: { min: 4, max: 96 },
    step: 4,
    integer: true,
  },
  samples: {
    meaning: 'plans per task, which are compared with one another',
    start: defaults.samples,
    range: { min: 2, max: 256 },
    knobRange: { min: 2, max: 32 },
    step: 2,
    integer: true,
  },
  bonus: {
    meaning: 'the bonus of an optimal plan, added to 1 for a valid one',
    start: defaults.bonus,
    range: { min: 0, max: 10 },
    knobRange: { min: 0, max: 2 },
    step: 0.05,
  },
  stepPenalty: {
    meaning: 'what each step of an agent until its arrival costs a valid plan, which earns at least 0.1',
    start: defaults.stepPenalty,
    range: { min: 0, max: 1 },
    knobRange: { min: 0, max: 0.05 },
    step: 0.005,
  },
  horizon: {
    meaning: 'the longest plan in training, as a share of the steps that the rules allow',
    start: defaults.horizon,
    range: { min: 0.05, max: 1 },
    knobRange: { min: 0.2, max: 1 },
    step: 0.05,
  },
  entropy: {
    meaning: 'the weight of the entropy bonus',
    start: defaults.entropy,
    range: { min: 0, max: 1 },
    knobRange: { min: 0, max: 0.05 },
    step: 0.001,
  },
  value: {
    meaning: 'the weight of the value loss',
    start: defaults.value,
    range: { min: 0, max: 10 },
    knobRange: { min: 0, max: 1 },
    step: 0.05,
  },
};

// Errors of the embedded trainer.

export class NothingToLearn extends IcecoreError {
  override readonly name = 'NothingToLearn';

  constructor() {
    super('bad-input', 'no instance of any kind in this configuration could be generated', {
      remedy: 'Configure fewer holes, fewer agents or larger sizes; icecore lake generate says what is missing.',
    });
  }
}

export class CannotGoOn extends IcecoreError {
  override readonly name = 'CannotGoOn';

  constructor(path: string, cause: Error) {
    super('damaged', `${path}: the saved training is damaged: ${cause.message}`, {
      facts: { path },
      remedy: 'Remove this file to start again.',
      cause,
    });
  }
}
