// The factors of an ablation and their levels.
import { type ArmCell, levelsOf } from '../../../schemas/arm-names.ts';

export const factors = ['engineer', 'context'] as const satisfies readonly (keyof ArmCell)[];

export type Factor = (typeof factors)[number];

/** All pairs of levels of a factor, the later one first. */
export function levelPairs(
  factor: Factor,
  arms: Parameters<typeof levelsOf>[1],
): readonly (readonly [arm: string, reference: string])[] {
  const levels = levelsOf(factor, arms);
  return levels.flatMap((reference, i) => levels.slice(i + 1).map((arm) => [arm, reference] as const));
}
