// The names of arms, which place them in the matrix of an ablation: an arm with a context is a cell in the row of its context and the
// column of its engineer; and which arms say nothing about their context. Baselines and the actual decisions are outside the matrix.

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

/** The objective is not evidence: an engineer that does not read it misses nothing. */
export const taskModule = 'objective';

interface ArmContext {
  /** Of its context form; null: its engineer sees no context. */
  readonly modules: readonly string[] | null;
  /** Those of them that its engineer cannot use. */
  readonly notApplicable: readonly string[];
}

/** Whether its engineer cannot use anything that the arm shows it: its decisions say nothing about the context. */
export function canUseNothing({ modules, notApplicable }: ArmContext): boolean {
  const isUsable = (module: string): boolean => module !== taskModule && !notApplicable.includes(module);
  return notApplicable.length > 0 && !(modules ?? []).some(isUsable);
}
