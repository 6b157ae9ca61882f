// Budgets: their units, and how they are typed.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nameIn, type RunSettings } from '../../../schemas/run-file.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import type { Registry } from '../../lab/registry.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';

/** As it is typed: `1200000`, or `updates=200,tokens=5000000`. */
export function budgetText(budget: Budget): string {
  const amounts = Object.entries(budget);
  if (amounts.every(([unit]) => unit === 'agent-steps')) return String(budget['agent-steps']);
  return amounts.map(([unit, amount]) => `${unit}=${amount}`).join(',');
}

/** The built-in trainer counts agent steps only. Throws a usage error. */
export function requireAgentSteps(budget: Budget): void {
  if (Object.keys(budget).every((unit) => unit === 'agent-steps')) return;
  const found = budgetText(budget);
  throw new IcecoreError('usage', `--budget: found "${found}", allowed: a whole number of agent steps, as 1_200_000`, {
    facts: { field: '--budget', found },
    remedy: 'The built-in trainer counts agent steps. Programs can count in other units.',
  });
}

/** A registered trainer may count in some units only; a program counts in its own. Throws a usage error. */
export function requireUnits(
  budget: Budget | null | undefined,
  trainer: RunSettings['trainer'],
  { trainers }: Pick<Registry, 'trainers'>,
): void {
  const name = nameIn(trainer) ?? '';
  const units = trainers.get(name)?.units;
  const [first] = units ?? [];
  if (budget == null || units === undefined || first === undefined) return;
  if (Object.keys(budget).every((unit) => units.includes(unit))) return;
  const found = budgetText(budget);
  const only = units.length === 1 ? 'the only unit' : 'the units';
  throw new IcecoreError(
    'usage',
    `--budget: found "${found}", allowed: ${joinWithAnd(units)}, ${only} of the trainer ${name}`,
    {
      facts: { field: '--budget', found, allowed: units },
      remedy: `For example: --budget ${first === 'agent-steps' ? '400k' : `${first}=50`}. A program may count in other units.`,
    },
  );
}
