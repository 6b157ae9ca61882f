// Arms that cannot come out otherwise, or of which nothing can be learned by comparing them: those that decided the same, and
// those that were shown the same as far as their engineer can use it.
import type { ArmMade, Contrast, Material } from './material.ts';

/** Whether both sides, arm by arm, are decided from the same: then what they differ by tells nothing of what was shown. */
export function isApplicable(of: readonly ArmMade[], less: readonly ArmMade[]): boolean {
  const modules = new Set([...of, ...less].flatMap((arm) => arm.modules ?? []));
  const used = (arms: readonly ArmMade[]): string =>
    JSON.stringify(arms.map((arm) => decidedFrom(arm, modules)).sort());
  return used(of) !== used(less);
}

/** Whether no engineer of a contrast could use what differs: nothing can come of it, so nothing is tested. */
export function isNullByConstruction({ of, less }: Pick<Contrast, 'of' | 'less'>, arms: readonly ArmMade[]): boolean {
  const made = (names: readonly string[]) => arms.filter(({ arm }) => names.includes(arm));
  return !isApplicable(made(of), made(less));
}

/** What the engineer of an arm can use of what it is shown; what is left out is shown no more. */
export function usedBy({ modules, notApplicable, without, reads }: ArmMade): readonly string[] {
  return (modules ?? []).filter(
    (module) => !notApplicable.includes(module) && !without.includes(module) && reads?.includes(module) !== false,
  );
}

/** What is left out is a module, which is no longer among those that are used, or an item of one that is. */
function decidedFrom(arm: ArmMade, modules: ReadonlySet<string>): string {
  const { engineer, notApplicable, without } = arm;
  const used = usedBy(arm);
  const items = used.length === 0 ? [] : without.filter((item) => !modules.has(item) && !notApplicable.includes(item));
  return JSON.stringify([engineer, used.toSorted(), items.toSorted()]);
}

/**
 * Groups of two arms and more that decided on the same configurations everywhere, in the order of the arms. What they gave
 * for reasons, and what they expect, may differ all the same.
 */
export function twinsOf({ arms, same }: Pick<Material, 'arms' | 'same'>): readonly (readonly string[])[] {
  return [...Map.groupBy(groupsOf({ arms, same }), ([, group]) => group).values()]
    .map((alike) => alike.map(([arm]) => arm))
    .filter((alike) => alike.length > 1);
}

/** Whether both sides consist of arms that decided the same, pair by pair. */
export function isSameOnBothSides(
  of: readonly string[],
  less: readonly string[],
  material: Pick<Material, 'arms' | 'same'>,
): boolean {
  const groups = groupsOf(material);
  const decided = (arms: readonly string[]): string => JSON.stringify(arms.map((arm) => groups.get(arm) ?? arm).sort());
  return of.length > 0 && decided(of) === decided(less);
}

/** By arm, the first one that decided the same. */
function groupsOf({ arms, same }: Pick<Material, 'arms' | 'same'>): ReadonlyMap<string, string> {
  const group = new Map(arms.map(({ arm }) => [arm, arm]));
  for (const [one, other] of same) {
    const [first, second] = [group.get(one), group.get(other)];
    if (first === undefined || second === undefined) continue;
    for (const [arm, of] of group) if (of === second) group.set(arm, first);
  }
  return group;
}
