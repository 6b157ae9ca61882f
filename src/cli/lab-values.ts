// Values of options that describe an experiment: engineers, contexts, budgets, seeds.
import { IcecoreError } from '../../schemas/errors.ts';
import type { RunSettings } from '../../schemas/run-file.ts';
import type { StageFinishOptions } from '../library/experiment/stage.ts';
import { badOption } from '../library/option-error.ts';
import type { Candidate, ValueType } from '../library/plugins/command.ts';
import {
  amountsIn,
  choice,
  completed,
  completingLast,
  files,
  path,
  text,
  wholeNumberIn,
} from '../library/plugins/values.ts';
import type { Context } from './context.ts';

const word = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))(?=\s|$)/y;

/** Throws if a quote is not closed. */
export function wordsIn(text: string, field: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let at = 0;
  const end = text.trimEnd().length;
  while (at < end) {
    word.lastIndex = at;
    const found = word.exec(text);
    if (found === null) throw unreadable(text, field);
    const [, double, single, plain] = found;
    words.push(single ?? (double ?? plain ?? '').replaceAll(/\\(.)/g, '$1'));
    at = word.lastIndex;
  }
  const [first, ...others] = words;
  if (first === undefined) throw unreadable(text, field);
  return [first, ...others];
}

/** A text with a space or a path is a program; one word may be a name. */
export function namesProgram(text: string): boolean {
  return /\s/.test(text.trim()) || /[/\\]/.test(text);
}

function unreadable(text: string, field: string): IcecoreError {
  return new IcecoreError('usage', `${field}: found "${text}", allowed: a name, or a program with its arguments`, {
    facts: { field, found: text },
    remedy: 'Close every quote: "python3 \'my program.py\' --fast".',
  });
}

/** One word is a name, other texts are a program with its arguments. */
function nameOrProgram(typed: string, field: string): string | string[] {
  return namesProgram(typed) ? [...wordsIn(typed, field)] : typed.trim();
}

const program: ValueType<string | string[]> = { parse: nameOrProgram };

export const environment: ValueType<string | string[]> = completed(program, async ({ session }: Context) =>
  offered((await session.plugins.current()).registry.environments),
);

export const trainer: ValueType<string | string[]> = completed(program, async ({ session }: Context) =>
  offered((await session.plugins.current()).registry.trainers),
);

async function engineerNames({ session }: Context): Promise<readonly Candidate[]> {
  const { rows } = await (await import('../library/list.ts')).engineers(session);
  return rows.map(({ name, does }) => ({ value: name, about: does }));
}

function offered(entries: ReadonlyMap<string, { readonly name: string; readonly summary: string }>): Candidate[] {
  return Array.from(entries.values(), ({ name, summary }) => ({ value: name, about: summary }));
}

/** A name, or a program with its arguments. */
export const engineer: ValueType<string | string[]> = completed(program, engineerNames);

/** Commas separate engineers, except within quotes, so that arguments of a program can have commas. */
export const engineers: ValueType<readonly (string | string[])[]> = {
  parse: (typed, field) => {
    const parts = Array.from(typed.matchAll(/(?:^|,)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^,])*)/g), ([, part = '']) => part);
    if (parts.some((part) => part.trim() === ''))
      throw badOption(field, typed, 'names or programs with commas between them');
    return parts.map((part) => nameOrProgram(unquoted(part.trim()), field));
  },
  isList: true,
  complete: completingLast(engineerNames, ','),
};

/** A program is quoted as a whole to keep its commas. */
function unquoted(typed: string): string {
  const [, inner] = /^"((?:[^"\\]|\\.)*)"$/.exec(typed) ?? /^'([^']*)'$/.exec(typed) ?? [];
  return inner ?? typed;
}

async function formNames({ session }: Context): Promise<readonly Candidate[]> {
  const { rows } = await (await import('../library/list.ts')).contexts(session);
  return rows.map(({ name, kind, shows }) => ({ value: name, about: kind === 'form' ? '' : shows }));
}

/** Commas separate forms, `+` joins modules to a form, and `v1-v6` means all presets from v1 to v6. */
export const contexts: ValueType<readonly string[]> = {
  parse: async (typed, field) => {
    const { formsNamed } = await import('../library/list.ts');
    const parts = typed.split(',').map((part) => part.trim());
    if (parts.includes('')) throw badOption(field, typed, 'forms with commas between them');
    return parts.flatMap((part) => formsNamed(part, field));
  },
  isList: true,
  complete: completingLast(formNames, ',', '+'),
};

/** One form: what an engineer is shown. */
export const context: ValueType<string> = {
  parse: async (typed, field, at) => {
    const [form, ...others] = await contexts.parse(typed, field, at);
    if (form !== undefined && others.length === 0) return form;
    const joined = typed.replaceAll(',', '+');
    const isRange = typed.split(',').length !== others.length + 1;
    throw new IcecoreError('usage', `${field}: found ${others.length + 1} forms, allowed: one`, {
      facts: { field, found: typed },
      remedy: isRange ? '' : `To show several modules at once, join them: ${field} ${joined}`,
    });
  },
  complete: completingLast(formNames, '+'),
};

/** Modules of icecore and of plugins. */
export const modules: ValueType<string> = {
  parse: async (typed, field, at: Context) => {
    const known = (await moduleNames(at)).map(({ value }) => value);
    return await choice(known).parse(typed, field, at);
  },
  complete: async (at: Context) => await moduleNames(at),
};

async function moduleNames(context: Context): Promise<readonly Candidate[]> {
  return (await formNames(context)).filter(({ about }) => about !== '');
}

/** What a training spent. */
export const spent: ValueType<RunSettings['budget']> = {
  parse: (typed, field) => amountsIn(typed, field, { from: 0, to: Number.MAX_SAFE_INTEGER }),
};

type Signal = NonNullable<StageFinishOptions['learningSignal']>[number];

/** How many of the sample groups have rewards that differ: 24/96, or 8=24/96 for family 8. */
export const signal: ValueType<Signal> = {
  parse: (typed, field) => {
    const [, family = null, some = '', all = ''] = /^(?:(.+)=)?([0-9_]+)\/([0-9_]+)$/.exec(typed) ?? [];
    if (all === '')
      throw badOption(field, typed, 'WITH/ALL, or FAMILY=WITH/ALL', {
        remedy: 'For example 8=24/96: of 96 sample groups of family 8, rewards differed in 24.',
      });
    const sampleGroups = wholeNumberIn(all, field, { from: 1, to: Number.MAX_SAFE_INTEGER });
    const withVariance = wholeNumberIn(some, field, { from: 0, to: sampleGroups });
    return { family, sampleGroups, withVariance, share: withVariance / sampleGroups };
  },
};

type Seed = RunSettings['seed'];

const mostSeeds = 1000;

/** `1`, `1,4,9`, or a range: `1-5`, also written `1..5`. */
export const seeds: ValueType<readonly Seed[]> = {
  parse: (typed, field) => seedsIn(typed, field, 'whole numbers from 0, as in 1, 1-5 or 1,4,9'),
  isList: true,
};

export const seed: ValueType<Seed> = {
  parse: (typed, field) => {
    const [first, ...others] = seedsIn(typed, field, 'a whole number from 0');
    if (first !== undefined && others.length === 0) return first;
    const named = typed.replaceAll('..', '-');
    throw new IcecoreError('usage', `${field}: found ${others.length + 1} seeds (${named}), allowed: one`, {
      facts: { field, found: typed },
      remedy: 'A run has one seed: start a run for each.',
    });
  },
};

function seedsIn(typed: string, field: string, allowed: string): Seed[] {
  const seeds = typed.split(',').flatMap((part) => {
    const [, from, to] = /^(\d+)(?:\.\.|-)(\d+)$/.exec(part.trim()) ?? [];
    if (from === undefined || to === undefined) return [seedIn(part.trim(), field, allowed)];
    const [first, last] = [Number(from), Number(to)];
    if (last < first || last - first >= mostSeeds)
      throw badOption(field, part, `at most ${mostSeeds} seeds, from the lower to the higher, as in 1-5`);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return [...new Set(seeds)];
}

function seedIn(typed: string, field: string, allowed: string): Seed {
  const digits = typed.replaceAll('_', '');
  if (!/^(0|[1-9][0-9]{0,38})$/.test(digits)) throw badOption(field, typed, allowed);
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
}

/** Read from a JSON file. */
export const configuration: ValueType<RunSettings['configuration']> = {
  parse: async (typed, field, context) => {
    const { jsonIn } = await import('../library/experiment/json-file.ts');
    const file = await path.parse(typed, field, context);
    return (await jsonIn(file, { cwd: context.io.cwd, signal: context.signal }, field)) as RunSettings['configuration'];
  },
  complete: () => files,
};

export const stages: number = 16_383;

export const maxTokens: number = 10_000_000;

export const onError: ValueType<'stop' | 'retry' | 'keep'> = choice(['stop', 'retry', 'keep']);

export const suite: ValueType<string> = completed(text, async ({ session }: Context) => {
  const found: string[] = [];
  const { registry } = await session.plugins.current();
  for (const { open } of registry.environments.values()) {
    const environment = await open({ knobs: [] });
    found.push(...environment.suites.map(({ name }) => name));
    await environment.close();
  }
  return [...new Set(found)].map((value) => ({ value, about: '' }));
});

/** `none` means no benchmarks. */
export const suites: ValueType<readonly string[]> = {
  ...suite,
  parse: (typed) => (typed === 'none' ? [] : [typed]),
};
