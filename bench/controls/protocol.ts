// The protocol of the controls: what is run, on which seeds, how it is analysed, and what has to come out. It was
// committed before the first confirming seed was run; docs/controls.md explains it. A change after that needs other
// confirming seeds.

/** Each set of seeds is an experiment of its own: histories and one ablation of them. */
export const seedsOfASet = 10;

export const controls = {
  /** For choosing budgets and effects; nothing is concluded from them. */
  tuning: { environment: 'dungeon', sets: 5, firstSeed: 1 },
  'tuning-negative': { environment: 'catacomb', sets: 5, firstSeed: 1 },
  positive: { environment: 'dungeon', sets: 10, firstSeed: 10_001 },
  negative: { environment: 'catacomb', sets: 100, firstSeed: 20_001 },
} as const;

export type Control = keyof typeof controls;

/**
 * A run of two stages with the usual budget of its environment, 32 updates; the ablation repeats the decision between
 * them. The seed of a run is also its hidden world.
 */
export const run = {
  ...{ engineer: 'fixed', stages: 2 },
  ...{ validation: 120, perCell: 20, samples: 1, trained: 24, exemplars: 6 },
} as const;

/** The share of the first stage's rooms that practise each hazard: the same for all. */
export const firstPractice = 0.15;

export const readers = ['rules', 'checkpoint'] as const;
export const baselines = ['uniform', 'random', 'static-small', 'schedule'] as const;
/** It cheats, so it enters no contrast: it says how much could be gained. */
export const upperBound = 'oracle';

/** All are declared, and corrected for each other by Holm's method. */
export const contrasts = readers.flatMap((reader) => [
  `${reader}/failures:${reader}/stats`,
  ...baselines.map((baseline) => `${reader}/failures:${baseline}`),
]);

export const level = 0.95;

/** What has to come out. */
export const required = {
  /** Positive: the number of sets in which every contrast is significantly better. */
  positiveSets: 9,
  /** Negative: the maximum number of sets in which any contrast is significant, in either direction. */
  negativeSets: 5,
  /** Positive: the oracle's mean gain over uniform, in standard deviations of one seed. */
  headroom: 3,
} as const;

/** In points of the validation rate, from tuning seeds: expected gains over each reference, and the least that counts. */
export const effects = { expected: 45, leastOfInterest: 10 } as const;
