// The matrix of an ablation: an arm that is shown a context is a cell, in the row of the context and the column of the
// engineer. Baselines and the recorded decisions are in no cell.

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

/** An arm is named by its engineer and the context, which has no stroke in its name. Null outside the matrix. */
export function cellOf({ arm, form }: Placed): Cell | null {
  const stroke = arm.lastIndexOf('/');
  return form === null || stroke < 0 ? null : { engineer: arm.slice(0, stroke), context: arm.slice(stroke + 1) };
}

/** The engineers of the matrix, or its contexts, in the order of the arms. */
export function levelsOf(factor: Factor, arms: readonly Placed[]): readonly string[] {
  return [...new Set(arms.flatMap((arm) => cellOf(arm)?.[factor] ?? []))];
}

/** Every two levels of a factor, the later one first. */
export function levelPairs(
  factor: Factor,
  arms: readonly Placed[],
): readonly (readonly [arm: string, reference: string])[] {
  const levels = levelsOf(factor, arms);
  return levels.flatMap((reference, i) => levels.slice(i + 1).map((arm) => [arm, reference] as const));
}
