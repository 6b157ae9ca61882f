// What the models behind a run's decisions cost. Rollouts of a policy that is a model have costs of their own.
import type { RunShown } from '../../../schemas/run-output.ts';
import { counted, money, totalOf } from '../../base/quantity.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';

type ModelCosts = RunShown['modelCosts'];

/** Of its own decisions, usable or not; answers that several of them share count once. */
export function modelCostsOf({ run, opening, stages }: Pick<RunHistory, 'run' | 'opening' | 'stages'>): ModelCosts {
  const asked = [opening, ...stages]
    .flatMap(({ proposals, rejections, errors }) => [...proposals, ...rejections, ...errors])
    .filter(({ envelope, data }) => envelope.run === run && (data.answers ?? []).length > 0);
  const paid = new Map(asked.map(({ data }) => [JSON.stringify(data.answers?.map(({ key }) => key)), data.cost]));
  const known = [...paid.values()].flatMap((cost) => cost ?? []);
  return {
    cost: totalOf(known.map(({ currency, total }) => ({ [currency]: total }))),
    decisions: paid.size,
    unknown: paid.size - known.length,
  };
}

/** Null where no model was asked. */
export function modelCostsText({ cost, decisions, unknown }: ModelCosts): string | null {
  if (decisions === 0) return null;
  if (unknown === decisions) return `unknown, for ${counted(decisions, 'decision')} of models`;
  const known = Object.entries(cost).map(([currency, amount]) => money(amount, currency));
  const rest = unknown === 0 ? '' : `; that of ${counted(unknown, 'more decision', 'more decisions')} is unknown`;
  return `${known.join(', ')} for ${counted(decisions - unknown, 'decision')} of models${rest}`;
}
