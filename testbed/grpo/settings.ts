// How the embedded trainer trains. What is not said is as it was measured to learn well within half a minute. A run file sets
// all but how often it saves, which changes nothing of what comes out.

import { IcecoreError } from '../../schemas/errors.ts';
import type { HyperparameterEntry } from '../../src/library/plugins/index.ts';

export interface Settings {
  /** Sample groups an update learns from: one for each of its tasks. */
  readonly groups: number;
  /** Plans for each of them, which are compared with one another. */
  readonly samples: number;
  readonly learningRate: number;
  /** How much it is worth not to be too sure. */
  readonly entropy: number;
  /** How much it is worth to know what a plan will earn. */
  readonly value: number;
  /** What a plan of the least cost earns beside the 1 for a valid one. */
  readonly bonus: number;
  /** Where something can be gone on from: every so many updates. */
  readonly saveEvery: number;
}

export const defaults: Settings = {
  groups: 24,
  samples: 8,
  learningRate: 0.005,
  entropy: 0.005,
  value: 0.25,
  bonus: 0.35,
  saveEvery: 200,
};

/** Those that are given; the others are as usual. */
export type GivenSettings = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

export function settingsWith(given: GivenSettings): Settings {
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** The sample groups of an update are learnt from in so many parts, whatever the number of threads: sums come in one order. */
export const shards = 12;

/** A run may set a hyper-parameter beyond the range within which an engineer may change it: there every value learns. */
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
    meaning: 'plans for each task, which are compared with one another',
    start: defaults.samples,
    range: { min: 2, max: 256 },
    knobRange: { min: 2, max: 32 },
    step: 2,
    integer: true,
  },
  bonus: {
    meaning: 'the reward of an optimal plan beside the 1 of a valid one',
    start: defaults.bonus,
    range: { min: 0, max: 10 },
    knobRange: { min: 0, max: 2 },
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

// What can be wrong with a training that is asked of the embedded trainer.

export class NothingToLearn extends IcecoreError {
  override readonly name = 'NothingToLearn';

  constructor() {
    super('bad-input', 'no instance could be made of anything this configuration asks for', {
      remedy: 'Ask for fewer holes, fewer agents or larger sizes; icecore lake generate tells what is missing.',
    });
  }
}

export class CannotGoOn extends IcecoreError {
  override readonly name = 'CannotGoOn';

  constructor(path: string, cause: Error) {
    super('damaged', `${path}: what was saved of the training is damaged: ${cause.message}`, {
      facts: { path },
      remedy: 'Remove this file to begin anew.',
      cause,
    });
  }
}
