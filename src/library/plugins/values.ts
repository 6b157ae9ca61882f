// The types of options and arguments: numbers, names, choices, files. Larger modules that parsing needs are imported on demand.
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';
import { badOption } from '../option-error.ts';
import type { Candidate, Complete, ValueType } from './command.ts';

function candidates(names: readonly string[]): readonly Candidate[] {
  return names.map((value) => ({ value, about: '' }));
}

/** Lets the shell complete file names. */
export const files: readonly Candidate[] = [{ value: ':files', about: '' }];

/** Any text. */
export const text: ValueType<string> = { parse: (typed) => typed };

/** Any text except an empty one. */
export const filledText: ValueType<string> = {
  parse: (typed, field) => {
    if (typed.trim() !== '') return typed;
    throw new IcecoreError('usage', `${field}: found an empty text, allowed: any text that is not empty`, {
      facts: { field },
    });
  },
};

/** NAME=VALUE; a value that is valid JSON, such as true or 3, is parsed. */
export const settingIn: ValueType<{ readonly name: string; readonly value: unknown }> = {
  parse: (typed, field) => {
    const [, name = '', value = ''] = /^([A-Za-z_][\w-]*)=(.*)$/s.exec(typed) ?? [];
    if (name === '') throw badOption(field, typed, 'a name and a value with = between them');
    try {
      return { name, value: parseJson(value) };
    } catch {
      return { name, value };
    }
  },
};

/** The path of a file or folder, as typed. An empty one is refused. */
export const path: ValueType<string> = {
  parse: (typed, field) => {
    if (typed !== '') return typed;
    throw new IcecoreError('usage', `${field} is empty and names no file`, {
      facts: { field },
      remedy: 'Name a file, or leave out the option.',
    });
  },
  complete: () => files,
};

/** The smallest and the largest number allowed. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Parses a whole number; also accepts 400_000, 600k, 1M and 1e6. */
export function wholeNumberIn(typed: string, field: string, { from, to }: Range, hint = ''): number {
  const [, digits = '', fraction = '', exponent = '', unit = ''] =
    /^(\d[\d_]*)(?:\.(\d+))?(?:e(\d{1,2})|([kM]))?$/.exec(typed) ?? [];
  const power = unit === 'k' ? 3 : unit === 'M' ? 6 : Number(exponent);
  const number = Number(`${digits.replaceAll('_', '')}.${fraction || '0'}e${power}`);
  if (digits !== '' && Number.isInteger(number) && number >= from && number <= to) return number;
  // Whoever writes plain digits needs no other way to write them.
  const ways = /^-?\d+$/.test(typed) ? '' : large(to);
  const remedy = [ways, hint].filter((text) => text !== '').join(' ');
  throw badOption(field, typed, allowedIn({ from, to }), { remedy });
}

/** Names the short forms of large numbers. */
function large(to: number): string {
  return to < 100_000 ? '' : 'Numbers may be written as 400_000, 600k, 1.5M or 1e6.';
}

function allowedIn({ from, to }: Range): string {
  const least = from.toLocaleString('en');
  return to < Number.MAX_SAFE_INTEGER
    ? `a whole number from ${least} to ${to.toLocaleString('en')}`
    : `a whole number from ${least}`;
}

/** A whole number in a range; also accepts 400_000, 600k, 1M and 1e6. */
export function integer(from: number, to = Number.MAX_SAFE_INTEGER): ValueType<number> {
  return { parse: (typed, field) => wholeNumberIn(typed, field, { from, to }) };
}

/** A share above one number and below 1: 0.02. */
export function share(above = 0, remedy = ''): ValueType<number> {
  return {
    parse: (typed, field) => {
      const number = Number(typed);
      if (typed.trim() !== '' && number > above && number < 1) return number;
      const points = number >= 1 && number < 100 ? ` ${number} points are ${number / 100}.` : '';
      throw badOption(field, typed, `a share above ${above} and below 1`, { remedy: `${remedy}${points}`.trim() });
    },
  };
}

/** One of these names, which a shell completes. */
export function choice<const Name extends string>(names: readonly Name[], remedy = ''): ValueType<Name> {
  return {
    parse: (typed, field) => {
      const found = names.find((name) => name === typed);
      if (found !== undefined) return found;
      throw badOption(field, typed, names.join(', '), { known: names, remedy });
    },
    complete: () => candidates(names),
  };
}

/** One of these names, which are loaded when they are needed. */
export function choiceFrom<const Name extends string>(load: () => Promise<readonly Name[]>): ValueType<Name> {
  return {
    parse: async (typed, field, context) => await choice(await load()).parse(typed, field, context),
    complete: async () => candidates(await load()),
  };
}

/** A list separated by commas. */
export function listOf<Value>(one: ValueType<Value>): ValueType<readonly Value[]> {
  const { complete } = one;
  return {
    parse: async (typed, field, context) => {
      const parts = typed.split(',').map((part) => part.trim());
      if (parts.includes('')) throw badOption(field, typed, 'one or more, separated by commas');
      return await Promise.all(parts.map(async (part) => await one.parse(part, field, context)));
    },
    isList: true,
    ...(complete === undefined ? {} : { complete: completingLast(complete, ',') }),
  };
}

/** Completes the text after the last separator and keeps the text before it. */
export function completingLast(complete: Complete, ...separators: readonly string[]): Complete {
  return async (context, given, typed) => {
    const start = Math.max(...separators.map((separator) => typed.lastIndexOf(separator))) + 1;
    const offered = await complete(context, given, typed.slice(start));
    return offered.map(({ value, about }) => ({ value: typed.slice(0, start) + value, about }));
  };
}

/** A value, or a keyword such as `all` or `none`. */
export function orWord<Value, const Word extends string>(one: ValueType<Value>, word: Word): ValueType<Value | Word> {
  return {
    parse: async (typed, field, context) => {
      if (typed === word) return word;
      try {
        return await one.parse(typed, field, context);
      } catch (fault) {
        if (!(fault instanceof IcecoreError) || fault.kind !== 'usage') throw fault;
        const { message, facts, remedy } = fault;
        throw new IcecoreError('usage', `${message}, or ${word}`, { facts, remedy });
      }
    },
    isList: one.isList === true,
    ...(one.complete === undefined ? {} : { complete: one.complete }),
  };
}

/** The same type with other completions. */
export function completed<Value>(one: ValueType<Value>, complete: Complete): ValueType<Value> {
  return { ...one, complete };
}

/** A number of threads, from 1 to 256. */
export const jobs: ValueType<number> = integer(1, 256);

/** An amount of money, in the currency of the prices. */
export const money: ValueType<number> = {
  parse: (typed, field) => {
    const amount = Number(typed);
    if (/^[0-9]+(\.[0-9]+)?$/.test(typed) && Number.isFinite(amount)) return amount;
    throw badOption(field, typed, 'an amount of money, like 5 or 0.50');
  },
};

const secondsIn = { s: 1, m: 60, h: 3600 } as const;
const shortest = 0.5;
const longest = 86_400;

/** A duration in seconds: 30s, 2m, or a number of seconds. */
export const duration: ValueType<number> = {
  parse: (typed, field) => {
    const [, number, unit = 's'] = /^([0-9]+(?:\.[0-9]+)?)([smh]?)$/.exec(typed) ?? [];
    const seconds = Number(number) * secondsIn[(unit || 's') as keyof typeof secondsIn];
    if (seconds >= shortest && seconds <= longest) return seconds;
    throw badOption(field, typed, 'a time from 0.5s to 24h, such as 30s or 2m');
  },
};

/** A tag of runs and notes. */
export const tag: ValueType<string> = {
  parse: async (typed, field) => {
    const { name } = await import('../../../schemas/primitives.ts');
    if (name.safeParse(typed).success) return typed;
    throw new IcecoreError(
      'usage',
      `${field}: found ${JSON.stringify(typed)}, allowed: a word without control characters`,
      {
        facts: { field, found: typed },
      },
    );
  },
};

/** Amounts by unit: updates=200,tokens=5M. */
export function amountsIn(typed: string, field: string, range: { readonly from: number; readonly to: number }): Budget {
  const amounts: Record<string, number> = {};
  for (const part of typed.split(',')) {
    const [unit = '', amount = ''] = part.split('=').map((word) => word.trim());
    if (!/^[\w-]+$/.test(unit) || !part.includes('=') || Object.hasOwn(amounts, unit))
      throw badUnit(field, typed, unit);
    amounts[unit] = wholeNumberIn(amount, `${field}, ${unit}`, range);
  }
  return amounts;
}

function badUnit(field: string, typed: string, unit: string): IcecoreError {
  const found = unit === '' || !typed.includes('=') ? `"${typed}"` : `the unit "${unit}"`;
  return new IcecoreError('usage', `${field}: found ${found}, allowed: each unit once, as updates=200,tokens=5M`, {
    facts: { field, found: typed },
  });
}

const maxSteps = 1e15;
const otherUnits =
  'A number without a unit is agent steps. If the trainer counts another unit, name it: updates=50 or tokens=5M.';

/** Agent steps, as 400_000, 400k or 1e6, or amounts by unit. */
export const budget: ValueType<Budget> = {
  parse: (typed, field) => {
    const range = { from: 1, to: maxSteps };
    if (typed.includes('=')) return amountsIn(typed, field, range);
    if (/^[a-z]/i.test(typed))
      throw badOption(
        field,
        typed,
        'agent steps, as 400_000, 400k or 1e6, or amounts by unit, as updates=50,tokens=5M',
      );
    return { 'agent-steps': wholeNumberIn(typed, field, range, otherUnits) };
  },
};
