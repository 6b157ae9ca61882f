// The arms of an ablation: engineers times forms, and beside them what is always there to be held against. Who is blind to
// contexts is one arm, whatever there is to see.

import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { Engineer, Identity } from '../../lab/engineers/engineer.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import { type Form, modules, nameOfForm } from '../contexts/forms.ts';
import { type Arm, type EngineerWord, recordedArm } from './design.ts';

/** What an engineer is shown: a form, or a form less something. */
export interface Sight {
  readonly form: Form;
  /** What it is called among arms. */
  readonly name: string;
  readonly without: readonly string[];
}

/** An engineer, and what it is shown, one arm each. */
export interface Row {
  readonly engineer: EngineerWord;
  readonly sights: readonly Sight[];
}

export interface Matrix {
  readonly rows: readonly Row[];
  /** Who really decided, and what they were shown; null where nobody did. */
  readonly recorded: { readonly identity: Identity; readonly form: Form | null } | null;
  /** Those that are wanted. */
  readonly baselines: readonly string[];
  readonly engineerOf: (word: EngineerWord) => Deciding;
}

type Deciding = Pick<Engineer, 'identity' | 'readsBeside'>;

/** First those that are asked about, then what was, and then the baselines. */
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

/** What is to be achieved is no evidence: nothing is lost on who does not read it. */
const task = 'objective';

function armsIn({ engineer, sights }: Row, name: string, { identity, readsBeside = [] }: Deciding): readonly Arm[] {
  const { reads = [] } = identity;
  /** Modules that mean something only beside others mean nothing alone. */
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
    notApplicable: form.modules.filter((module) => !usedOf(form).includes(module) && module !== task),
  }));
}

function asRecorded({ identity, form }: NonNullable<Matrix['recorded']>): Arm {
  return { arm: recordedArm, engineer: null, identity, form, without: [], baseline: true, notApplicable: [] };
}

/** Of several programs with one name, the second and those after it are counted. */
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

export function sightOf(form: Form): Sight {
  return { form, name: nameOfForm(form), without: [] };
}

/** A form whole, and less each of its modules. */
export function leaveOneOut(form: Form): readonly Sight[] {
  const whole = sightOf(form);
  // Less its only module, nothing of it is left to be shown.
  return form.modules.length === 1 ? [whole] : [whole, ...form.modules.map((module) => lessModule(whole, module))];
}

function lessModule({ form, name }: Sight, module: string): Sight {
  const modules = form.modules.filter((one) => one !== module);
  const { name: _, parameters, ...rest } = form;
  const left = module === 'history' || parameters === undefined ? {} : { parameters };
  return { form: { ...rest, modules, ...left }, name: `${name}-${module}`, without: [module] };
}

/** A form with each choice of these modules; what else it has stands in all of them. */
export function factorial(form: Form, factors: readonly string[]): readonly Sight[] {
  const rest = form.modules.filter((module) => !factors.includes(module));
  // A context has something: where nothing else is asked for, what is to be achieved.
  const always = rest.length === 0 ? modules.filter((module) => !factors.includes(module)).slice(0, 1) : rest;
  const { name: _, ...plain } = form;
  return Array.from({ length: 2 ** factors.length }, (__, choice) => {
    const chosen = factors.filter((___, i) => (choice & (1 << i)) !== 0);
    const shown = modules.filter((module) => always.includes(module) || chosen.includes(module));
    return { form: { ...plain, modules: shown }, name: chosen.length === 0 ? 'none' : chosen.join('+'), without: [] };
  });
}

/** Throws UnknownArm. */
export function armNamed(name: string, arms: readonly Arm[], field: string): Arm {
  const found = arms.find(({ arm }) => arm === name);
  if (found === undefined) throw new UnknownArm(name, arms, field);
  return found;
}

export class UnknownArm extends IcecoreError {
  override readonly name = 'UnknownArm';

  constructor(arm: string, arms: readonly Arm[], field: string) {
    const known = arms.map((one) => one.arm);
    const near = nearestNames(arm, known);
    super('not-found', `${field}: there is no arm "${arm}"`, {
      facts: { field, arm, known, nearest: near },
      remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are ${known.join(', ')}.`,
    });
  }
}
