// What training may spend in a stage has to be an amount that a trainer can keep to.
import type { RunSettings } from '../../../schemas/run-file.ts';
import { BadBudget } from '../../lab/trainers/grpo/settings.ts';

const unitOfOwn = 'agent-steps';
const allowed = 'a whole number from 1';

/** The trainer that is built in counts agent steps and nothing else. Throws BadBudget. */
export function requireBudget(budget: RunSettings['budget'], isForOwn: boolean): void {
  const amounts = Object.entries(budget);
  if (amounts.length === 0) throw new BadBudget({ field: 'budget', found: '{}', allowed: 'at least one unit' });
  const other = isForOwn ? amounts.find(([unit]) => unit !== unitOfOwn) : undefined;
  if (other !== undefined) {
    const [unit, amount] = other;
    throw new BadBudget({ field: `budget.${unit}`, found: String(amount), allowed: `only ${unitOfOwn}` });
  }
  for (const [unit, amount] of amounts) {
    if (!Number.isSafeInteger(amount) || amount < 1) {
      throw new BadBudget({ field: `budget.${unit}`, found: String(amount), allowed });
    }
  }
}
