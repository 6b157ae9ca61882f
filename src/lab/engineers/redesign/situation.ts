// Where a run stands: what is believed of each family, and what each is worth against the others. A task that takes fewer
// agent steps teaches for less of the budget; and while hardly anything teaches anything, easier families come first.
import type { Belief } from './belief.ts';
import type { Evidence } from './evidence.ts';

export interface Situation {
  /** By family, in the order of the descriptor. */
  readonly beliefs: ReadonlyMap<string, Belief>;
  readonly evidence: Evidence;
  /** Hardly anything teaches anything: what is too hard has to become easier, all of it. */
  readonly isCollapsed: boolean;
}

/** With less of a learning signal it has collapsed; where none is shown, with rates like this. */
const faintSignal = 0.15;
const faintRate = 0.05;

/** While it is collapsed, each family is worth so much of the one before it. */
const tilt = 0.7;
/** What seems to teach nothing is worth this much all the same: it may be chance, and it may come. */
const least = 0.05;
/** How much the cost of a task counts; 1 would give each family the same agent steps for the same worth. */
const thrift = 0.5;

/** Families as descriptors list them, easiest first; null where nothing is known of any. */
export function situationOf(believed: readonly Belief[], evidence: Evidence): Situation | null {
  if (believed.every(({ worth }) => worth === null)) return null;
  const isCollapsed = collapsed(believed, evidence);
  const costs = believed.map(({ family }) => evidence.mean(family, 'agent-steps'));
  const cheapest = Math.min(...costs.flatMap((cost) => (cost === null || cost.value <= 0 ? [] : [cost.value])));
  const beliefs = believed.map((belief, i): Belief => {
    const cost = costs[i] ?? null;
    const cheapness = cost === null || cost.value <= 0 ? 1 : (cheapest / cost.value) ** thrift;
    const ease = isCollapsed ? tilt ** i : 1;
    return {
      ...belief,
      worth: belief.worth === null ? null : Math.max(belief.worth, least) * cheapness * ease,
      cites: [
        ...belief.cites,
        ...(cost === null ? [] : [cost.evidenceId]),
        ...(isCollapsed && evidence.signal !== null ? [evidence.signal.evidenceId] : []),
      ],
    };
  });
  return { beliefs: new Map(beliefs.map((belief) => [belief.family, belief])), evidence, isCollapsed };
}

function collapsed(beliefs: readonly Belief[], { signal }: Evidence): boolean {
  if (signal !== null) return signal.value < faintSignal;
  const rates = beliefs.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  return rates.length > 0 && rates.reduce((sum, rate) => sum + rate, 0) / rates.length < faintRate;
}
