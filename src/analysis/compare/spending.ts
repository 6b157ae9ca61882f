// Whether runs that are compared had the same budget and took no more than it: longer training is more to learn from.
import type { ComparedRun } from '../../../schemas/compare-output.ts';
import { budgetOf, chargedIn, overspentIn, tolerated } from '../history/spending.ts';
import type { Entrant } from './entrants.ts';
import { budgetText } from './facets.ts';
import type { Material } from './material.ts';
import { type Point, stagesUntil } from './points.ts';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function overspentBy({ read }: Entrant, point: Point | null): ComparedRun['overspent'] {
  const stages = point === null ? [] : stagesUntil(read, point);
  return stages.flatMap((stage) => overspentIn(read, stage).map((one) => ({ stage: stage.stage, ...one })));
}

export function spendingWarnings(material: Material): string[] {
  return [...beyondBudget(material), ...otherBudgets(material), ...unequal(material)];
}

function beyondBudget({ entrants, points }: Material): string[] {
  return entrants.flatMap((one) =>
    overspentBy(one, points.get(one) ?? null).map(
      ({ stage, unit, budget, spent }) =>
        `The training of ${one.label} in stage ${stage} took ${grouped.format(spent)} ${unit}, beyond its budget of ${grouped.format(budget)}.`,
    ),
  );
}

/** Runs of other budgets are compared only where that is asked for. */
function otherBudgets({ entrants }: Material): string[] {
  const budgets = Map.groupBy(entrants, ({ read }) => {
    const { budget } = read.history.started?.data ?? {};
    return budget === undefined ? null : budgetText(budget);
  });
  const known = [...budgets].flatMap(([budget, [first]]) =>
    budget === null || first === undefined ? [] : [`${first.label}: ${budget}`],
  );
  return known.length < 2 ? [] : [`Not the same budget a stage: ${known.join('; ')}.`];
}

function unequal({ entrants, points }: Material): string[] {
  if (new Set(points.values()).size > 1) return [];
  const charged = entrants.map((one) => chargedUntil(one, points.get(one) ?? null));
  return [...new Set(charged.flatMap(({ units }) => units))].flatMap((unit) => {
    const known = charged
      .flatMap(({ label, amounts }) => (amounts.has(unit) ? [{ label, amount: amounts.get(unit) ?? 0 }] : []))
      .sort((a, b) => a.amount - b.amount);
    const [least, most] = [known[0], known.at(-1)];
    if (least === undefined || most === undefined || most.amount <= least.amount * (1 + tolerated)) return [];
    return [
      `Not the same spending: ${least.label} took ${grouped.format(least.amount)} ${unit}, ${most.label} ${grouped.format(most.amount)}.`,
    ];
  });
}

interface Charged {
  readonly label: string;
  readonly amounts: ReadonlyMap<string, number>;
  /** Those that budgets are in; all, where nobody recorded a budget. */
  readonly units: readonly string[];
}

function chargedUntil({ label, read }: Entrant, point: Point | null): Charged {
  const amounts = new Map<string, number>();
  const budgeted = new Set<string>();
  for (const stage of point === null ? [] : stagesUntil(read, point)) {
    for (const unit of Object.keys(budgetOf(read, stage))) budgeted.add(unit);
    for (const [unit, amount] of Object.entries(chargedIn(read, stage)))
      amounts.set(unit, (amounts.get(unit) ?? 0) + amount);
  }
  return { label, amounts, units: budgeted.size > 0 ? [...budgeted] : [...amounts.keys()] };
}
