// Arms that cannot come out otherwise, or of which nothing can be learned by holding them against each other: those that
// decided the same, and those that were shown the same as far as their engineer can use it.
import type { ArmMade, Material } from './material.ts';

/** Whether both sides, arm by arm, are decided from the same: then what they differ by tells nothing of what was shown. */
export function isApplicable(of: readonly ArmMade[], less: readonly ArmMade[]): boolean {
  const modules = new Set([...of, ...less].flatMap((arm) => arm.modules ?? []));
  const used = (arms: readonly ArmMade[]): string =>
    JSON.stringify(arms.map((arm) => decidedFrom(arm, modules)).sort());
  return used(of) !== used(less);
}

/** What is left out is a module, which is no longer among those that are used, or an item of one that is. */
function decidedFrom({ engineer, modules, notApplicable, without }: ArmMade, known: ReadonlySet<string>): string {
  const used = (modules ?? []).filter((module) => !notApplicable.includes(module) && !without.includes(module));
  const items = used.length === 0 ? [] : without.filter((item) => !known.has(item) && !notApplicable.includes(item));
  return JSON.stringify([engineer, used.toSorted(), items.toSorted()]);
}

/**
 * Groups of two arms and more that decided on the same configurations everywhere, in the order of the arms. What they gave
 * for reasons, and what they expect, may differ all the same.
 */
export function twinsOf({ arms, same }: Pick<Material, 'arms' | 'same'>): readonly (readonly string[])[] {
  const group = new Map(arms.map(({ arm }) => [arm, arm]));
  for (const [one, other] of same) {
    const [kept, given] = [group.get(one), group.get(other)];
    if (kept === undefined || given === undefined) continue;
    for (const [arm, of] of group) if (of === given) group.set(arm, kept);
  }
  const groups = Map.groupBy(group.keys(), (arm) => group.get(arm));
  return [...groups.values()].filter((alike) => alike.length > 1);
}
