// What an ablation took: trainings that were made for it, and answers of models.
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { type Amounts, totalOf } from '../../producers/run/amounts.ts';
import { inOrder } from './order.ts';

export interface Spent {
  /** By unit: decisions, tokens/input. */
  readonly spent: Record<string, number>;
  /** By currency. */
  readonly cost: Record<string, number>;
}

/** What arms share was spent once. An answer that was recorded before counts with what it cost then. */
export function spentIn({ proposals, rejections, errors, trainings }: AblationRecord): Spent {
  const asked = [...inOrder(proposals), ...inOrder(rejections), ...errors].map(({ data }) => data);
  const trained = inOrder(trainings).filter(({ data }) => sharedWith(data) === null);
  const tokens = asked.map(({ usage = {} }) => prefixed(usage));
  return {
    spent: totalOf([...trained.map(({ data }) => data.spent ?? {}), ...tokens]),
    cost: totalOf(asked.map(({ cost }) => (cost === undefined ? {} : { [cost.currency]: cost.total }))),
  };
}

/** The arm whose training counts for this one as well. */
export function sharedWith({
  measured,
}: {
  readonly measured?: Readonly<Record<string, unknown>> | undefined;
}): string | null {
  const arm = measured?.['sharedWith'];
  return typeof arm === 'string' ? arm : null;
}

function prefixed(usage: Amounts): Amounts {
  return Object.fromEntries(Object.entries(usage).map(([kind, tokens]) => [`tokens/${kind}`, tokens]));
}
