// From where a run stands to a proposal: shares by what each family is worth, knobs as they were decided on, and what works
// kept on purpose. Every reason cites what it goes by.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue, withKnob } from '../../environments/knobs.ts';
import type { Asked, Proposal, Reason } from '../engineer.ts';
import { type Belief, percent } from './belief.ts';
import { partsByWorth, withShares } from './sharing.ts';
import type { Situation } from './situation.ts';

/** A knob that is no share, turned or kept on purpose. */
export interface Setting {
  readonly knob: Knob;
  /** Null: it stays. */
  readonly to: number | null;
  readonly cites: readonly string[];
  readonly reason: string;
}

export function redesigned(
  { descriptor, current }: Asked,
  { beliefs }: Situation,
  settings: readonly Setting[],
  rationale: string,
): Proposal {
  const shared = withShares(descriptor, current, beliefs);
  const shares = shareReasons(descriptor, { current, shared }, beliefs);
  const turned = settings.filter(({ to }) => to !== null);
  const stay = settings.filter(({ to }) => to === null);
  return {
    configuration: turned.reduce((result, { knob, to }) => withKnob(result, knob, to ?? 0), shared),
    reasons: [...shares.turned, ...turned.map((setting) => reasonOf(setting.knob, setting))],
    kept: [...shares.kept, ...stay.map((setting) => reasonOf(setting.knob, setting))],
    predictions: [...beliefs.values()].flatMap(({ family, rate }) =>
      rate === null ? [] : [{ family, measure: 'valid', value: rate }],
    ),
    rationale,
  };
}

/** Where there is nothing to go by, everything stays. */
export function unchanged({ current }: Asked): Proposal {
  const rationale = 'everything stays as it is: nothing was shown or asked that says what to change';
  return { configuration: current, reasons: [], kept: null, predictions: null, rationale };
}

function shareReasons(
  descriptor: Descriptor,
  { current, shared }: { readonly current: Configuration; readonly shared: Configuration },
  beliefs: ReadonlyMap<string, Belief>,
): { readonly turned: readonly Reason[]; readonly kept: readonly Reason[] } {
  const { knobs, sharesSum = [] } = descriptor;
  const totals = new Map(sharesSum.flatMap((sum) => sum.knobs.map((name) => [name, sum.total] as const)));
  const parts = partsByWorth(descriptor, current, beliefs);
  const known = knobs.flatMap((knob) => {
    const belief = knob.family === null ? undefined : beliefs.get(knob.family);
    return belief === undefined || !totals.has(knob.name) ? [] : [{ knob, belief }];
  });
  const isTurned = (knob: Knob): boolean => knobValue(current, knob) !== knobValue(shared, knob);
  return {
    turned: known
      .filter(({ knob }) => isTurned(knob))
      .map(({ knob, belief }) => {
        const [from, to] = [knobValue(current, knob) ?? 0, knobValue(shared, knob) ?? 0];
        const part = parts.get(knob.name) ?? 0;
        const why = shareWords({ isMore: to > from, held: from / (totals.get(knob.name) ?? 1), part });
        return reasonOf(knob, { ...belief, reason: `${why}; ${belief.reason}` });
      }),
    kept: known
      .filter(({ knob, belief }) => belief.works && !isTurned(knob))
      .map(({ knob, belief }) => reasonOf(knob, { ...belief, reason: `it works: ${belief.reason}` })),
  };
}

interface Sharing {
  readonly isMore: boolean;
  /** Of the data, as it is. */
  readonly held: number;
  /** Of what there is to learn from all families. */
  readonly part: number;
}

/** A share also moves because others have to: what it is worth is a reason only where that is the way it moves. */
function shareWords({ isMore, held, part }: Sharing): string {
  const direction = isMore ? 'more data' : 'less data';
  if (percent(part) === percent(held)) return direction;
  if (part > held !== isMore) return `${direction}, as others take ${isMore ? 'less' : 'more'}`;
  return `${direction}: it has ${percent(part)} of what there is to learn and had ${percent(held)} of the data`;
}

/** Whoever cites nothing says so. */
function reasonOf(knob: Knob, { cites, reason }: Pick<Setting, 'cites' | 'reason'>): Reason {
  return { knob: knob.name, cites: cites.length === 0 ? null : [...new Set(cites)], reason };
}
