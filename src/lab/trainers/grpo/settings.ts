// How the embedded trainer trains. What is not said is as it was measured to learn well within half a minute. A run file sets
// all but how often it saves, which changes nothing of what comes out.

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
