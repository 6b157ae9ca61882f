// The matrix of an ablation: an arm with a context is a cell in the row of its context and the column of its engineer.
// Baselines and the actual decisions are outside the matrix.

interface Placed {
  readonly arm: string;
  readonly form: unknown;
}

export interface Cell {
  readonly engineer: string;
  readonly context: string;
}

export const factors = ['engineer', 'context'] as const;

export type Factor = (typeof factors)[number];

/**
 * An arm's name is its engineer and its context, separated by a slash; names of contexts contain none. Null outside the
 * matrix.
 */
export function cellOf({ arm, form }: Placed): Cell | null {
  const stroke = arm.lastIndexOf('/');
  return form === null || stroke < 0 ? null : { engineer: arm.slice(0, stroke), context: arm.slice(stroke + 1) };
}

/** The objective is not evidence: an engineer that does not read it misses nothing. */
export const taskModule = 'objective';

/** Whether its engineer cannot use anything that the arm shows it: its decisions say nothing about the context. */
export function isUnusable(modules: readonly string[] | null, notApplicable: readonly string[]): boolean {
  const isUsable = (module: string): boolean => module !== taskModule && !notApplicable.includes(module);
  return notApplicable.length > 0 && !(modules ?? []).some(isUsable);
}

/** The engineers or contexts of the matrix, in the order of the arms. */
export function levelsOf(factor: Factor, arms: readonly Placed[]): readonly string[] {
  return [...new Set(arms.flatMap((arm) => cellOf(arm)?.[factor] ?? []))];
}

/** All pairs of levels of a factor, the later one first. */
export function levelPairs(
  factor: Factor,
  arms: readonly Placed[],
): readonly (readonly [arm: string, reference: string])[] {
  const levels = levelsOf(factor, arms);
  return levels.flatMap((reference, i) => levels.slice(i + 1).map((arm) => [arm, reference] as const));
}
