// The arms of an ablation, which are engineers by context forms and the baselines, and the contrasts declared before
// any arm decides.
import { cellOf, levelsOf, taskModule } from '../../../schemas/arm-names.ts';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import type { Engineer, Identity } from '../../lab/engineers/engineer.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import { type Form, inFormOrder, inNamedOrder, isModule, modules, nameOfForm } from '../contexts/forms.ts';
import { type Factor, factors, levelPairs } from './cells.ts';
import { type Arm, type Declared, type Depth, type EngineerWord, isApplicable, recordedArm } from './design.ts';

/** What an engineer is shown: a form, possibly without some of its parts. */
export interface ShownForm {
  readonly form: Form;
  /** Its name in the names of arms. */
  readonly name: string;
  readonly without: readonly string[];
}

/** An engineer and the contexts it is shown, one arm each. */
export interface Row {
  readonly engineer: EngineerWord;
  readonly sights: readonly ShownForm[];
}

interface Matrix {
  readonly rows: readonly Row[];
  /** The actual engineer and its context form; null if there was none. */
  readonly recorded: { readonly identity: Identity; readonly form: Form | null } | null;
  /** The selected baselines. */
  readonly baselines: readonly string[];
  readonly engineerOf: (word: EngineerWord) => Deciding;
}

type Deciding = Pick<Engineer, 'identity' | 'readsBeside'>;

/** First the arms of the matrix, then the actual decisions, then the baselines. */
export function armsOf({ rows, recorded, baselines: wanted, engineerOf }: Matrix): readonly Arm[] {
  const known = rows.map(({ engineer }) => engineer);
  const others = blindNames
    .filter((engineer) => wanted.includes(engineer) && !known.includes(engineer))
    .map((engineer) => ({ engineer, sights: [] }));
  const all = [...rows, ...others];
  const names = namesOf(
    all.map(({ engineer }) => engineer),
    (word) => engineerOf(word).identity,
  );
  const arms = all.flatMap((row, i) => armsIn(row, names[i] ?? '', engineerOf(row.engineer)));
  const asItWas = recorded === null ? [] : [asRecorded(recorded)];
  return [...arms.filter(({ baseline }) => !baseline), ...asItWas, ...arms.filter(({ baseline }) => baseline)];
}

function armsIn({ engineer, sights }: Row, name: string, { identity, readsBeside = [] }: Deciding): readonly Arm[] {
  const { reads = [] } = identity;
  /** Modules that are useful only together with others are not useful alone. */
  const usedOf = ({ modules: shown }: Form): readonly string[] => {
    const read = shown.filter((module) => reads.includes(module));
    return read.every((module) => readsBeside.includes(module)) ? [] : read;
  };
  const common = { engineer, identity, baseline: blindNames.some((one) => one === engineer) };
  if (reads.length === 0) return [{ ...common, arm: name, form: null, without: [], notApplicable: [] }];
  return sights.map(({ form, name: shown, without }) => ({
    ...common,
    arm: `${name}/${shown}`,
    form,
    without,
    notApplicable: form.modules.filter((module) => !usedOf(form).includes(module) && module !== taskModule),
  }));
}

function asRecorded({ identity, form }: NonNullable<Matrix['recorded']>): Arm {
  return { arm: recordedArm, engineer: null, identity, form, without: [], baseline: true, notApplicable: [] };
}

/** Several programs of the same name are numbered from the second one on. */
function namesOf(words: readonly EngineerWord[], identityOf: (word: EngineerWord) => Identity): readonly string[] {
  const own = words.map((word) => (typeof word === 'string' ? identityOf(word).name : null));
  const taken = new Set([recordedArm, ...own]);
  return words.map((word, i) => {
    const name = own[i] ?? freeName(identityOf(word).name, taken);
    taken.add(name);
    return name;
  });
}

function freeName(name: string, taken: ReadonlySet<string | null>): string {
  for (let count = 1; ; count++) {
    const counted = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(counted)) return counted;
  }
}

export function sightOf(form: Form): ShownForm {
  return { form, name: nameOfForm(form), without: [] };
}

/** The whole form, and the form without each of its modules. */
export function leaveOneOut(form: Form): readonly ShownForm[] {
  const whole = sightOf(form);
  // Without its only module the form would be empty.
  return form.modules.length === 1 ? [whole] : [whole, ...form.modules.map((module) => lessModule(whole, module))];
}

function lessModule({ form, name }: ShownForm, module: string): ShownForm {
  const modules = form.modules.filter((one) => one !== module);
  const { name: _, parameters, ...rest } = form;
  const left = module === 'history' || parameters === undefined ? {} : { parameters };
  return { form: { ...rest, modules, ...left }, name: `${name}-${module}`, without: [module] };
}

/** The form with each combination of these modules; its other modules are always included. */
export function factorial(form: Form, factors: readonly string[]): readonly ShownForm[] {
  const rest = form.modules.filter((module) => !factors.includes(module));
  // A context cannot be empty: without other modules it contains the objective.
  const always = rest.length === 0 ? modules.filter((module) => !factors.includes(module)).slice(0, 1) : rest;
  const { name: _, ...plain } = form;
  return Array.from({ length: 2 ** factors.length }, (__, choice) => {
    const chosen = factors.filter((___, i) => (choice & (1 << i)) !== 0);
    const shown = inFormOrder([...always, ...chosen]);
    return { form: { ...plain, modules: shown }, name: chosen.length === 0 ? 'none' : chosen.join('+'), without: [] };
  });
}

/** Throws UnknownArm. */
function armNamed(name: string, arms: readonly Arm[], field: string): Arm {
  const found = arms.find(({ arm }) => arm === name);
  if (found === undefined) throw new UnknownArm(name, arms, field);
  return found;
}

class UnknownArm extends UnknownName {
  override readonly name = 'UnknownArm';

  constructor(arm: string, arms: readonly Arm[], field: string) {
    const known = arms.map((one) => one.arm);
    const near = nearestNames(arm, known);
    super(arm, `${field}: there is no arm "${arm}"`, {
      facts: { field, arm, known, nearest: near },
      remedy: didYouMean(near, `There are ${known.join(', ')}.`),
    });
  }
}

interface Declaring {
  /** As named by the user: `rules/failures:rules/stats`, `checkpoint:base`, `engineer`; empty for the default. */
  readonly named: readonly string[];
  readonly measure: string | null;
  readonly depth: Depth;
  /** Whether the arms are those of the paper. */
  readonly isPaper: boolean;
}

/** The default measure: validation, so that test results stay unbiased by the choice of arm. */
const usualMeasure: Readonly<Record<Depth, string>> = {
  propose: 'citation',
  train: 'validation',
  run: 'validation',
};

/** Measures for which lower is better. */
const lowerIsBetter: readonly string[] = ['brier'];

function betterOf(measure: string): Declared['better'] {
  return lowerIsBetter.includes(measure) ? 'lower' : 'higher';
}

type Sides = Pick<Declared, 'factor' | 'arm' | 'reference'>;

/** Throws UnknownArm and UnknownContrast. */
export function declaredOf(declaring: Declaring, arms: readonly Arm[]): readonly Declared[] {
  const measure = declaring.measure ?? usualMeasure[declaring.depth];
  const usual = usualContrast(declaring, arms);
  const all =
    declaring.named.length === 0
      ? usual === null
        ? []
        : [usual]
      : declaring.named.flatMap((word) => sidesOf(word, declaring, arms));
  const meant = all.map((sides) => asArms(sides, arms));
  const unlike = meant.filter((one, i) => meant.findIndex((other) => keyOf(other) === keyOf(one)) === i);
  return unlike.map((sides) => ({ ...sides, measure, better: betterOf(measure) }));
}

/** Two engineers that are shown a single context are compared as two arms, and so are two contexts of a single engineer. */
function asArms(sides: Sides, arms: readonly Arm[]): Sides {
  const { factor } = sides;
  if (factor === null) return sides;
  const other = factor === 'engineer' ? 'context' : 'engineer';
  const inLevel = (level: string): ReadonlyMap<string, string> =>
    new Map(
      arms.flatMap((one) => {
        const cell = cellOf(one);
        return cell?.[factor] === level ? [[cell[other], one.arm] as const] : [];
      }),
    );
  const [here, there] = [inLevel(sides.arm), inLevel(sides.reference)];
  const pairs = [...here].flatMap(([level, arm]) => {
    const reference = there.get(level);
    return reference === undefined ? [] : [{ factor: null, arm, reference }];
  });
  const [pair, ...more] = pairs;
  return pair === undefined || more.length > 0 ? sides : pair;
}

/** Independent of the order of the two sides. */
function keyOf({ factor, arm, reference }: Sides): string {
  return JSON.stringify([factor, [arm, reference].toSorted()]);
}

function sidesOf(word: string, declaring: Declaring, arms: readonly Arm[]): readonly Sides[] {
  const factor = factors.find((one) => one === word);
  if (factor !== undefined) return allOf(factor, arms);
  if (!word.includes(':')) return [againstNext(word, declaring, arms)];
  // A name may contain a colon, as names of models do.
  const parts = word.split(':');
  const splits = parts.slice(1).map((_, i) => [parts.slice(0, i + 1).join(':'), parts.slice(i + 1).join(':')] as const);
  for (const [one, other] of splits) {
    const [arm, reference] = [nameMeant(one), nameMeant(other)];
    const found = kindOf(arm, reference, arms);
    if (found === undefined) continue;
    if (arm === reference) throw againstItself(arm);
    return [{ factor: found, arm, reference }];
  }
  throw unknownSide(nameMeant(splits[0]?.[0] ?? word), nameMeant(splits[0]?.[1] ?? ''), arms);
}

/** Modules may be typed in any order: `rules/failures+stats` is the arm rules/stats+failures. */
function nameMeant(typed: string): string {
  const stroke = typed.lastIndexOf('/');
  return typed.slice(0, stroke + 1) + inNamedOrder(typed.slice(stroke + 1));
}

/** Null: both are arms; undefined: they are of different kinds or unknown. */
function kindOf(arm: string, reference: string, arms: readonly Arm[]): Factor | null | undefined {
  const isIn = (names: readonly string[]): boolean => names.includes(arm) && names.includes(reference);
  if (isIn(arms.map((one) => one.arm))) return null;
  return factors.find((factor) => isIn(levelsOf(factor, arms)));
}

function allOf(factor: Factor, arms: readonly Arm[]): readonly Sides[] {
  const pairs = levelPairs(factor, arms);
  if (pairs.length > 0) return pairs.map(([arm, reference]) => ({ factor, arm, reference }));
  const levels = levelsOf(factor, arms);
  throw new IcecoreError(
    'usage',
    `--contrast: found ${factor}, and ${levels.length === 0 ? 'no' : 'a single'} ${factor} in the matrix`,
    {
      facts: { field: '--contrast', found: factor, levels: [...levels] },
      remedy: `A main effect compares two or more: name them with --${factor === 'engineer' ? 'engineers' : 'contexts'}.`,
    },
  );
}

function againstItself(arm: string): IcecoreError {
  return new IcecoreError('usage', `--contrast: found ${arm} on both sides`, {
    facts: { field: '--contrast', found: arm },
    remedy: 'Name two arms: --contrast rules/failures:rules/stats',
  });
}

function unknownSide(arm: string, reference: string, arms: readonly Arm[]): IcecoreError {
  const known = [...arms.map((one) => one.arm), ...factors.flatMap((factor) => levelsOf(factor, arms))];
  const stranger = known.includes(arm) ? reference : arm;
  const isKnown = known.includes(stranger);
  const near = isKnown ? [] : nearestNames(stranger, known);
  const what = isKnown
    ? `${arm} and ${reference} are not two arms, two engineers or two contexts`
    : `there is no arm, engineer or context "${stranger}"`;
  const options = {
    facts: { field: '--contrast', arm: stranger, known, nearest: near },
    remedy: didYouMean(near, `There are ${known.join(', ')}.`),
  };
  const message = `--contrast: ${what}`;
  return isKnown ? new IcecoreError('usage', message, options) : new UnknownName(stranger, message, options);
}

/** The arms of the matrix whose engineer can use their context. */
const candidates = (arms: readonly Arm[]): readonly string[] =>
  arms.filter((one) => !one.baseline && isApplicable(one)).map(({ arm }) => arm);

/** A single arm is compared with the first other one, or with the default reference. */
function againstNext(word: string, { depth }: Declaring, arms: readonly Arm[]): Sides {
  const name = nameMeant(word);
  armNamed(name, arms, '--contrast');
  const reference = candidates(arms).find((one) => one !== name) ?? usualReference(arms, depth);
  if (reference === null || reference === name) throw againstItself(name);
  return { factor: null, arm: name, reference };
}

/** If arms are scored by their use of a context, an arm without a context has no score to compare with. */
function usualReference(arms: readonly Arm[], depth: Depth): string | null {
  const isScored = arms.some(({ arm, form }) => arm === recordedArm && form !== null);
  const usual = depth === 'propose' && isScored ? recordedArm : 'uniform';
  const baselines = arms.filter(({ baseline }) => baseline).map(({ arm }) => arm);
  return baselines.find((arm) => arm === usual) ?? baselines[0] ?? null;
}

/** What an arm decides from: arms that differ only in unusable modules decide the same. */
function decidedFrom(arm: Arm | undefined): string {
  if (arm === undefined) return '';
  const { identity, form, without, notApplicable } = arm;
  const { reads } = identity;
  const used = (form?.modules ?? []).filter(
    (module) => reads?.includes(module) !== false && !notApplicable.includes(module),
  );
  return JSON.stringify([identity.name, used, without.filter((item) => !isModule(item))]);
}

/**
 * The default contrast: the first arm and the next one that decides from something else, or the last rung of the
 * paper's ladder; a single arm is compared with the actual decisions or with equal families.
 */
function usualContrast({ depth, isPaper }: Declaring, arms: readonly Arm[]): Sides | null {
  const names = candidates(arms);
  const reference = (names.length > 1 ? names[0] : undefined) ?? usualReference(arms, depth);
  if (reference === null || names.length === 0) return null;
  const used = (name: string): string => decidedFrom(arms.find((one) => one.arm === name));
  const climbed = isPaper ? ['v6', 'v5', 'v4', 'v3'].map((form) => reference.replace(/v1$/, form)) : [];
  const next = [...climbed.filter((one) => names.includes(one)), ...names].filter((one) => one !== reference);
  const arm = next.find((one) => used(one) !== used(reference)) ?? next[0];
  return arm === undefined ? null : { factor: null, arm, reference };
}
