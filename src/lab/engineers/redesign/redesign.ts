// From where a run stands to a proposal: shares by what each group is worth, knobs as they were decided on, and what works
// kept on purpose. Every reason cites what it goes by.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue, withKnob } from '../../environments/knobs.ts';
import type { Asked, Proposal, Reason } from '../engineer.ts';
import type { Belief } from './belief.ts';
import { withShares } from './sharing.ts';
import type { Situation } from './situation.ts';

/** A knob that is no share, turned or kept on purpose. */
export interface Setting {
  readonly knob: Knob;
  /** Null: it stays. */
  readonly to: number | null;
  readonly because: readonly string[];
  readonly says: string;
}

export function redesigned(
  { descriptor, current }: Asked,
  { beliefs }: Situation,
  settings: readonly Setting[],
  says: string,
): Proposal {
  const shared = withShares(descriptor, current, beliefs);
  const shares = shareReasons(descriptor, { current, shared }, beliefs);
  const turned = settings.filter(({ to }) => to !== null);
  const stay = settings.filter(({ to }) => to === null);
  return {
    configuration: turned.reduce((result, { knob, to }) => withKnob(result, knob, to ?? 0), shared),
    reasons: [...shares.turned, ...turned.map((setting) => reasonOf(setting.knob, setting))],
    kept: [...shares.kept, ...stay.map((setting) => reasonOf(setting.knob, setting))],
    predictions: [...beliefs.values()].flatMap(({ group, rate }) =>
      rate === null ? [] : [{ group, measure: 'valid', value: rate }],
    ),
    says,
  };
}

/** Where there is nothing to go by, everything stays. */
export function unchanged({ current }: Asked): Proposal {
  const says = 'everything stays as it is: nothing was shown or asked that says what to change';
  return { configuration: current, reasons: [], kept: null, predictions: null, says };
}

function shareReasons(
  { knobs, sharesSum = [] }: Descriptor,
  { current, shared }: { readonly current: Configuration; readonly shared: Configuration },
  beliefs: ReadonlyMap<string, Belief>,
): { readonly turned: readonly Reason[]; readonly kept: readonly Reason[] } {
  const names = new Set(sharesSum.flatMap((sum) => sum.knobs));
  const known = knobs.flatMap((knob) => {
    const belief = knob.group === null ? undefined : beliefs.get(knob.group);
    return belief === undefined || !names.has(knob.name) ? [] : [{ knob, belief }];
  });
  const isTurned = (knob: Knob): boolean => knobValue(current, knob) !== knobValue(shared, knob);
  return {
    turned: known.filter(({ knob }) => isTurned(knob)).map(({ knob, belief }) => reasonOf(knob, belief)),
    kept: known
      .filter(({ knob, belief }) => belief.works && !isTurned(knob))
      .map(({ knob, belief }) => reasonOf(knob, { ...belief, says: `it works: ${belief.says}` })),
  };
}

/** Whoever cites nothing says so. */
function reasonOf(knob: Knob, { because, says }: Pick<Setting, 'because' | 'says'>): Reason {
  return { knob: knob.name, because: because.length === 0 ? null : [...new Set(because)], says };
}
