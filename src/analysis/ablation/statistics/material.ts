// What the statistics of an ablation are made from: who decided, by what they were shown, and what came of it in each unit.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Factor } from '../../../producers/ablation/cells.ts';

type Completed = EventData['AblationCompleted'];
export type ArmResult = Completed['results'][number];
export type Comparison = Completed['contrasts'][number];
export type Verdict = Comparison['verdict'];

export type Better = 'higher' | 'lower';
export type Split = 'validation' | 'test';

export interface ArmMade {
  readonly arm: string;
  readonly engineer: string;
  readonly form: string | null;
  /** Null: the engineer is blind to context. */
  readonly modules: readonly string[] | null;
  readonly baseline: boolean;
  readonly notApplicable: readonly string[];
  readonly without: readonly string[];
  /** The modules its engineer can use at all; where nothing is recorded of that, all but those that are not applicable. */
  readonly reads?: readonly string[] | undefined;
  /** An error kept it from its end: it enters no contrast. */
  readonly isErrored?: boolean;
}

export interface ArmValue {
  readonly arm: string;
  readonly unit: string;
  readonly measure: string;
  /** Over all stages and tasks of the unit. */
  readonly value: number | null;
  /** The tenth percentile over the cells of the unit. */
  readonly worst?: number | null;
}

export interface Asked {
  readonly arm: string;
  readonly reference: string;
}

export interface Rejected {
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
export interface Contrast extends Asked {
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
  /** Of how many runs they are; where that is not told, nothing is said of it. */
  readonly runs?: number;
  /** Where nothing is trained: arms that decided the same with every seed of a run, and of each run the one unit that counts. */
  readonly repeating?: { readonly arms: readonly string[]; readonly units: readonly string[] };
  /** Units of several runs that have the same training seed. */
  readonly sameSeed?: readonly (readonly string[])[];
  readonly values: readonly ArmValue[];
  readonly better: Readonly<Record<string, Better>>;
  /** Measures that are told in percent. Without it, those that are better higher and never leave 0 to 1. */
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
  /** Arms that decided wherever they were asked to; where that is not told, all. */
  readonly decided?: readonly string[];
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
