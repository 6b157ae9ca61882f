// What several answers took together. What one of them does not tell is not told of all: a sum of a part is none.
import type { Answered, Cost } from '../../models/conversation.ts';
import type { Spent } from '../engineer.ts';

export function spentOn(heard: readonly Answered[]): Spent {
  const usage = sumOf(heard.map(({ usage }) => usage));
  const cost = costOf(heard.map(({ cost }) => cost));
  const measured = sumOf(heard.map(({ measured = {} }) => numbersIn(measured)));
  return {
    answers: heard.map(({ key }) => ({ key })),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(measured === undefined ? {} : { measured }),
  };
}

type Amounts = Readonly<Record<string, number>>;

/** Of the kinds that all of them have; undefined where there is none. */
function sumOf(all: readonly (Amounts | undefined)[]): Record<string, number> | undefined {
  const kinds = Object.keys(all[0] ?? {}).filter((kind) => all.every((one) => one?.[kind] !== undefined));
  if (kinds.length === 0) return undefined;
  return Object.fromEntries(kinds.map((kind) => [kind, all.reduce((sum, one) => sum + (one?.[kind] ?? 0), 0)]));
}

/** Answers of one model have the same prices. */
function costOf(all: readonly (Cost | undefined)[]): Cost | undefined {
  const [first] = all;
  if (first === undefined || all.includes(undefined)) return undefined;
  const total = all.reduce((sum, cost) => sum + (cost?.total ?? 0), 0);
  const parts = sumOf(all.map((cost) => cost?.parts));
  return { ...first, total, ...(parts === undefined ? {} : { parts }) };
}

function numbersIn(measured: Readonly<Record<string, unknown>>): Amounts {
  return Object.fromEntries(
    Object.entries(measured).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
