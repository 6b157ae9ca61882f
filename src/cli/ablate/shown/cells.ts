// The matrix of an ablation: what engineers were shown, times who they are; and beside it the arms that no context makes
// any difference to.
import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';
import { cellOf, levelsOf } from '../../../producers/ablation/cells.ts';

export interface Matrix {
  readonly contexts: readonly string[];
  readonly engineers: readonly string[];
  readonly armAt: (context: string, engineer: string) => AblatedArm | null;
  /** Who was shown nothing, and what was really decided. */
  readonly beside: readonly AblatedArm[];
}

export function matrixOf({ arms }: Pick<Ablated, 'arms'>): Matrix {
  const placed = arms.flatMap((arm) => {
    const cell = cellOf(arm);
    return cell === null ? [] : [{ ...cell, arm }];
  });
  return {
    contexts: levelsOf('context', arms),
    engineers: levelsOf('engineer', arms),
    armAt: (context, engineer) =>
      placed.find((one) => one.context === context && one.engineer === engineer)?.arm ?? null,
    beside: arms.filter((arm) => cellOf(arm) === null),
  };
}
