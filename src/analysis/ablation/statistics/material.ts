// What the statistics of an ablation are made from: who decided, by what they were shown, and what came of it in each unit;
// arms whose comparison says nothing, because they decided the same or from the same; and arms in pairs, unit by unit.

import type { EventData } from '../../../../schemas/catalogue.ts';
import { joinWithAnd } from '../../../base/name-lists.ts';
import { meanOf } from '../../../lab/statistics/distributions.ts';
import type { Factor } from '../../../producers/ablation/cells.ts';

type Completed = EventData['AblationCompleted'];
export type ArmResult = Completed['results'][number];
export type Comparison = Completed['contrasts'][number];
export type Verdict = Comparison['verdict'];

export type Better = 'higher' | 'lower';
export type Split = 'validation' | 'test';

/** An arm as far as statistics go. */
export interface ArmMade {
  readonly arm: string;
  readonly engineer: string;
  readonly form: string | null;
  /** Null: the engineer is blind to context. */
  readonly modules: readonly string[] | null;
  readonly baseline: boolean;
  readonly notApplicable: readonly string[];
  /** Its engineer reads what the environment hides. */
  readonly upperBound?: true | undefined;
  readonly without: readonly string[];
  /** The modules its engineer can use at all; null: all but those that are not applicable. */
  readonly reads?: readonly string[] | null;
  /** An error kept it from its end: it enters no contrast. */
  readonly isErrored?: boolean;
}

interface ArmValue {
  readonly arm: string;
  readonly unit: string;
  readonly measure: string;
  /** Over all stages and tasks of the unit. */
  readonly value: number | null;
  /** The tenth percentile over the cells of the unit. */
  readonly worst?: number | null;
}

export interface ArmPair {
  readonly arm: string;
  readonly reference: string;
}

interface Rejected {
  readonly arm: string;
  readonly count: number;
  readonly of: number;
}

/** What tells nothing of a main effect, and why: an engineer in that of a context, a context in that of an engineer. */
export interface LeftOut {
  readonly level: string;
  /** `which can use nothing of stats` */
  readonly reason: string;
  /** An error is the reason: without it, the level would count. */
  readonly isErrored: boolean;
}

/**
 * The mean of arms `of` less the mean of arms `less`, by unit: single arms, or those of an effect. Without any arm it is a null
 * by construction: every engineer is left out of the effect of a context.
 */
export interface Contrast extends ArmPair {
  readonly kind: 'arms' | 'leave-one-out' | 'effect' | Factor;
  readonly of: readonly string[];
  readonly less: readonly string[];
  readonly leftOut?: readonly LeftOut[];
}

/** What contrasts are tested by. */
export interface Tested {
  readonly measure: string;
  readonly better: Better;
}

export interface Material {
  readonly depth: 'propose' | 'train' | 'run';
  readonly arms: readonly ArmMade[];
  /** Training seeds, of one run or of several. */
  readonly units: readonly string[];
  /** Of how many runs they are; unknown, nothing is said of it. */
  readonly runs?: number;
  /** Where nothing is trained: arms that decided the same with every seed of a run, and of each run the one unit that counts. */
  readonly repeating?: { readonly arms: readonly string[]; readonly units: readonly string[] };
  /** Units of several runs that have the same training seed. */
  readonly sameSeed?: readonly (readonly string[])[];
  readonly values: readonly ArmValue[];
  readonly better: Readonly<Record<string, Better>>;
  /** Measures that are given in percent. Without it, those that are better higher and never leave 0 to 1. */
  readonly shares?: readonly string[];
  /** Null: the first measure of which it is known what is better. */
  readonly tested: Tested | null;
  /** What measures are of, where that is known: the split that arms are compared on, or the one that reports. */
  readonly splits?: Readonly<Record<string, Split>>;
  /** Contrasts that were declared before anything was decided. */
  readonly declared: readonly Contrast[];
  /** All others that are tested. */
  readonly contrasts: readonly Contrast[];
  readonly level: number;
  readonly margin: number | null;
  /** Arms that came to no end: no value of theirs counts. */
  readonly unfinished?: readonly string[];
  /** How many answers of an arm could not be used, and how many it gave. */
  readonly rejected?: readonly Rejected[];
  /** Arms that decided wherever they were asked to; all, where it is missing. */
  readonly decided?: readonly string[];
  /** How many times each arm was asked to decide; 1, where it is missing. */
  readonly decisions?: number;
  /** Arms that decided the same everywhere: what they were trained on, too, is the same. */
  readonly same: readonly (readonly [string, string])[];
}

export function testedMeasure({ tested, better, values }: Material): string | null {
  return tested?.measure ?? Object.keys(better)[0] ?? values[0]?.measure ?? null;
}

export function measuresOf({ better, values }: Material): readonly string[] {
  const found = new Set(values.map(({ measure }) => measure));
  return [...new Set([...Object.keys(better), ...found])].filter((measure) => found.has(measure));
}

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

/** `cannot use stats`; or `can use stats only together with other modules`, if the engineer reads it at all. */
export function unusableText(arms: readonly Pick<ArmMade, 'reads'>[], modules: readonly string[]): string {
  const named = joinWithAnd(modules);
  const isRead = arms.every(({ reads }) => modules.every((module) => reads?.includes(module) === true));
  return isRead ? `can use ${named} only together with other modules` : `cannot use ${named}`;
}

/** What is left out: a module that is no longer used, or an item of a used module. */
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

/** By arm, what came of it in each unit that has a value. */
export type ByUnit = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function byUnit({ arms, values }: Material, measure: string): ByUnit {
  return new Map(
    arms.map(({ arm }) => {
      const own = values.filter((one) => one.arm === arm && one.measure === measure);
      return [arm, new Map(own.flatMap(({ unit, value }) => (value === null ? [] : [[unit, value] as const])))];
    }),
  );
}

/** Arms that do not change with the seed tell of their difference once a run, however often they are asked. */
export function unitsFor(arms: readonly string[], { units, repeating }: Material): readonly string[] {
  return repeating !== undefined && arms.every((arm) => repeating.arms.includes(arm)) ? repeating.units : units;
}

/** A difference as small comes of adding up in another order, and would be tested as one. */
const dust = 1e-12;

/** In the order of the units: the mean of the one arms less the mean of the others. */
export function differencesOf(
  of: readonly string[],
  less: readonly string[],
  units: readonly string[],
  values: ByUnit,
): number[] {
  return units.flatMap((unit) => {
    const [mine, theirs] = [of, less].map((arms) => arms.flatMap((arm) => values.get(arm)?.get(unit) ?? []));
    const isWhole = mine?.length === of.length && theirs?.length === less.length;
    if (!isWhole || of.length === 0 || less.length === 0) return [];
    const difference = meanOf(mine) - meanOf(theirs);
    return [Math.abs(difference) < dust ? 0 : difference];
  });
}
