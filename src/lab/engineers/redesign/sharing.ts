// Shares by what groups are worth. A group that works keeps its share within a step, for what works is not to be lost; one
// of which nothing is known keeps it altogether.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue, withKnob } from '../../environments/knobs.ts';
import { renormalised } from '../../environments/shares.ts';
import type { Belief } from './belief.ts';

/** No group is left out for good, be it worth next to nothing against others. */
const least = 0.002;

export function withShares(
  descriptor: Descriptor,
  current: Configuration,
  beliefs: ReadonlyMap<string, Belief>,
): Configuration {
  let result = current;
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs
      .filter(({ name }) => names.includes(name))
      .map((knob) => ({ knob, held: knobValue(current, knob) ?? 0 }));
    const known = shares.filter(({ knob }) => worthOf(knob, beliefs) !== null);
    const rest = total - shares.reduce((sum, one) => sum + (known.includes(one) ? 0 : one.held), 0);
    const wanted = known.map(({ knob, held }) => ({
      knob: { ...knob, range: roomOf(knob, held, beliefs) },
      value: Math.max(worthOf(knob, beliefs) ?? 0, least),
    }));
    for (const [i, value] of renormalised(wanted, rest).entries()) {
      const share = known[i];
      if (share !== undefined) result = withKnob(result, share.knob, value);
    }
  }
  return result;
}

function worthOf({ group }: Knob, beliefs: ReadonlyMap<string, Belief>): number | null {
  return group === null ? null : (beliefs.get(group)?.worth ?? null);
}

function roomOf({ group, range, step }: Knob, held: number, beliefs: ReadonlyMap<string, Belief>): Knob['range'] {
  if (group === null || beliefs.get(group)?.works !== true) return range;
  return { min: Math.max(range.min, held - step), max: Math.min(range.max, held + step) };
}
