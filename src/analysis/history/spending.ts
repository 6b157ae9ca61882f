// What training took against the budget of its stage. Work that something else than icecore did is taken as it is handed in:
// where it goes beyond the budget, comparisons with it are unfair, and it is flagged.
import { isObject } from '../../../schemas/json-text.ts';
import { external } from '../../../schemas/run-file.ts';
import type { StageRow } from '../../../schemas/run-output.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';

type Amounts = Readonly<Record<string, number>>;

/** A trainer ends with the update that takes the last of its budget: up to this part of it may be that update. */
export const tolerated = 0.05;

export function overspentIn(read: RunRead, stage: StageHistory): StageRow['overspent'] {
  if (isOwn(read, stage)) return [];
  const spent = stage.training?.data.spent ?? {};
  return Object.entries(budgetOf(read, stage)).flatMap(([unit, budget]) => {
    const amount = spent[unit] ?? 0;
    return amount > budget * (1 + tolerated) ? [{ unit, budget, spent: amount }] : [];
  });
}

/** What a registered trainer takes beyond its budget is its last update, however small the budget: it counts as nothing. */
export function chargedIn(read: RunRead, stage: StageHistory): Amounts {
  const spent = stage.training?.data.spent ?? {};
  if (!isOwn(read, stage)) return spent;
  const budget = budgetOf(read, stage);
  return Object.fromEntries(
    Object.entries(spent).map(([unit, amount]) => [unit, Math.min(amount, budget[unit] ?? amount)]),
  );
}

export function budgetOf(read: RunRead, { started, training }: StageHistory): Amounts {
  return started.data.budget ?? training?.data.budget ?? read.started?.data.budget ?? {};
}

/** As icecore itself trained it, by a name: a trainer of that name that others record is theirs. */
function isOwn({ started }: RunRead, { training }: StageHistory): boolean {
  const asked = started?.data.options?.['trainer'];
  const name = isObject(asked) ? asked['name'] : asked;
  return typeof name === 'string' && name !== external && training?.data.trainer?.name === name;
}
