// The matrix of an ablation: what engineers were shown, times who they are; and beside it the arms that no context makes
// any difference to.
import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';

export interface Matrix {
  readonly contexts: readonly string[];
  readonly engineers: readonly string[];
  readonly armAt: (context: string, engineer: string) => AblatedArm | null;
  /** Who was shown nothing, and what was really decided. */
  readonly beside: readonly AblatedArm[];
}

interface Place {
  readonly engineer: string;
  readonly context: string;
}

export function matrixOf({ arms }: Pick<Ablated, 'arms'>): Matrix {
  const placed = arms.flatMap((arm) => {
    const place = placeOf(arm);
    return place === null ? [] : [{ ...place, arm }];
  });
  return {
    contexts: unique(placed.map(({ context }) => context)),
    engineers: unique(placed.map(({ engineer }) => engineer)),
    armAt: (context, engineer) =>
      placed.find((one) => one.context === context && one.engineer === engineer)?.arm ?? null,
    beside: arms.filter((arm) => placeOf(arm) === null),
  };
}

/** An arm is called by its engineer and by what that is shown, which has no stroke in it. */
function placeOf({ arm, form }: AblatedArm): Place | null {
  const stroke = arm.lastIndexOf('/');
  if (form === null || stroke < 0) return null;
  return { engineer: arm.slice(0, stroke), context: arm.slice(stroke + 1) };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
