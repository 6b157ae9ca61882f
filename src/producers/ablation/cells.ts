// The factors of an ablation, and which arms can say something about their context.
import { type ArmCell, levelsOf } from '../../../schemas/arm-names.ts';

export const factors = ['engineer', 'context'] as const satisfies readonly (keyof ArmCell)[];

export type Factor = (typeof factors)[number];

/** The objective is not evidence: an engineer that does not read it misses nothing. */
export const taskModule = 'objective';

/** Whether its engineer cannot use anything that the arm shows it: its decisions say nothing about the context. */
export function isUnusable(modules: readonly string[] | null, notApplicable: readonly string[]): boolean {
  const isUsable = (module: string): boolean => module !== taskModule && !notApplicable.includes(module);
  return notApplicable.length > 0 && !(modules ?? []).some(isUsable);
}

/** All pairs of levels of a factor, the later one first. */
export function levelPairs(
  factor: Factor,
  arms: Parameters<typeof levelsOf>[1],
): readonly (readonly [arm: string, reference: string])[] {
  const levels = levelsOf(factor, arms);
  return levels.flatMap((reference, i) => levels.slice(i + 1).map((arm) => [arm, reference] as const));
}
