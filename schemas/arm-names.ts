// The names of arms, which place them in the matrix of an ablation: an arm with a context is a cell in the row of its context and the
// column of its engineer. Baselines and the actual decisions are outside the matrix.

interface Placed {
  readonly arm: string;
  /** Null: its engineer sees no context. */
  readonly form: unknown;
}

export interface ArmCell {
  readonly engineer: string;
  readonly context: string;
}

/**
 * An arm's name is its engineer and its context, separated by a slash; names of contexts contain none. Null outside the
 * matrix.
 */
export function cellOf({ arm, form }: Placed): ArmCell | null {
  const stroke = arm.lastIndexOf('/');
  return form === null || stroke < 0 ? null : { engineer: arm.slice(0, stroke), context: arm.slice(stroke + 1) };
}

/** The engineers or contexts of the matrix, in the order of the arms. */
export function levelsOf(factor: keyof ArmCell, arms: readonly Placed[]): readonly string[] {
  return [...new Set(arms.flatMap((arm) => cellOf(arm)?.[factor] ?? []))];
}
