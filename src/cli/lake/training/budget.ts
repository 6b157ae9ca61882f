// The budget of a training, as it is typed: so many agent steps, or amounts by unit for programs that count others.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Budget } from '../../../lab/trainers/trainer.ts';
import { wholeNumber } from '../numbers.ts';

export const usualBudget = '1_200_000';

const range = { from: 1, to: 1e15 };

/** `1_200_000`; with a program also `updates=200` and `agent-steps=1_000_000,tokens=5_000_000`. Throws a usage error. */
export function budgetFrom(text: string, isForProgram: boolean): Budget {
  if (!text.includes('=')) return { 'agent-steps': wholeNumber('--budget', text, range) };
  if (!isForProgram) throw otherUnit(text);
  const budget: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [unit = '', amount = ''] = part.split('=').map((word) => word.trim());
    if (!/^[\w-]+$/.test(unit) || Object.hasOwn(budget, unit)) throw badUnit(text, unit);
    budget[unit] = wholeNumber(`--budget, ${unit}`, amount, range);
  }
  return budget;
}

function otherUnit(text: string): IcecoreError {
  return new IcecoreError('usage', `--budget: found "${text}", allowed: a whole number of agent steps, as 1_200_000`, {
    facts: { field: '--budget', found: text },
    remedy: 'The trainer that is built in counts agent steps. Programs may count in other units.',
  });
}

function badUnit(text: string, unit: string): IcecoreError {
  const found = unit === '' ? `"${text}"` : `the unit "${unit}"`;
  return new IcecoreError(
    'usage',
    `--budget: found ${found}, allowed: units each once, as updates=200,tokens=5_000_000`,
    {
      facts: { field: '--budget', found: text },
    },
  );
}
