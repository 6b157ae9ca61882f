// Context forms: the modules that an engineer is shown, in order. Presets have names; any list of modules is a form as
// well. Every fact is in one module only, otherwise comparisons of forms would be meaningless.
import type { EventData } from '../../../schemas/catalogue.ts';
import { UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { isOwnModule } from '../../lab/context-modules.ts';
import { evidenceModuleMeanings } from '../summaries/modules.ts';

export type Form = EventData['ContextRecorded']['contextForm'];

/** The modules in display order, with their purposes. */
export const meanings = {
  objective: 'the goal: reward, metrics, budget, evaluation',
  guideline: 'advice on how to redesign, the same at every stage',
  training: 'how training went: spending and learning signal; no hyperparameters',
  ...evidenceModuleMeanings,
  history: 'the configurations tried so far, and their results',
  'self-summary': "the policy's own summary: a recorded call of its model",
} as const;

export type Module = keyof typeof meanings;

export const modules = Object.keys(meanings) as readonly Module[];

/** `history` with or without the initial configuration. */
const withFirst = { history: { first: true } } as const;
const withoutFirst = { history: { first: false } } as const;

/**
 * The paper's ladder: each rung contains the previous one, except that the fifth and the sixth both extend the fourth;
 * and the modules that the self-summary describes.
 */
const presets: Readonly<Record<string, { modules: readonly Module[]; parameters?: Form['parameters'] }>> = {
  v1: { modules: ['objective', 'failures'] },
  v2: { modules: ['objective', 'guideline', 'failures'] },
  v3: { modules: ['objective', 'guideline', 'failures', 'history'], parameters: withFirst },
  v4: { modules: ['objective', 'guideline', 'failures', 'history'], parameters: withoutFirst },
  v5: { modules: ['objective', 'guideline', 'failures', 'history', 'self-summary'], parameters: withoutFirst },
  v6: { modules: ['objective', 'guideline', 'training', 'failures', 'history'], parameters: withoutFirst },
  combined: { modules: ['objective', 'stats', 'behaviour', 'failures'] },
};

export const presetNames: readonly string[] = Object.keys(presets);

/** The name of a form as it can be typed; `formNamed` parses it. */
export function nameOfForm({ name, modules }: Form): string {
  return name ?? modules.join('+');
}

/** Without duplicates: icecore's own modules in their order, then those of plugins. */
export function inFormOrder(named: readonly string[]): string[] {
  return [...modules.filter((module) => named.includes(module)), ...new Set(named.filter(isOwnModule).sort())];
}

/** A form's name with its modules in their order, as arms are named; other words are returned unchanged. */
export function inNamedOrder(word: string): string {
  const named = word.split('+');
  return named.length > 1 && named.every(isModule) ? inFormOrder(named).join('+') : word;
}

/** `v4`, or modules joined by `+`; older runs recorded commas. Throws UnknownForm. */
export function formNamed(text: string): Form {
  const preset = presets[text];
  if (preset !== undefined) {
    const { parameters } = preset;
    return { name: text, modules: [...preset.modules], ...(parameters === undefined ? {} : { parameters }) };
  }
  const named = text.split(/[,+]/).map((one) => one.trim());
  for (const one of named) if (!isModule(one)) throw new UnknownForm(text, one);
  return {
    modules: inFormOrder(named),
    ...(named.includes('history') ? { parameters: withoutFirst } : {}),
  };
}

export class UnknownForm extends UnknownName {
  override readonly name = 'UnknownForm';

  constructor(form: string, part: string) {
    const known = [...presetNames, ...modules];
    const near = nearestNames(part, known);
    super(part, `there is no form or module "${part}"`, {
      facts: { form, part, presets: presetNames, modules, nearest: near },
      remedy: didYouMean(near, `There are ${presetNames.join(', ')}, or modules joined by +: ${modules.join(', ')}.`),
    });
  }
}

/**
 * Whether it can be a module: plugin modules have a dot in their names. An evidence id never starts with a lower-case
 * letter without a colon.
 */
export function isModule(word: string): boolean {
  return (modules as readonly string[]).includes(word) || isOwnModule(word);
}
