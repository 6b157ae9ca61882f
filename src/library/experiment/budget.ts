// Budgets: their units, and how they are typed.
import { IcecoreError } from '../../../schemas/errors.ts';
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
