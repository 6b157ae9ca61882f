// Shares by what families are worth. A family that works keeps its share within a step, for what works is not to be lost; one
// of which nothing is known keeps it altogether.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue, withKnob } from '../../environments/knobs.ts';
import { renormalised } from '../../environments/shares.ts';
import type { Belief } from './belief.ts';

/** No family is left out for good, be it worth next to nothing against others. */
const least = 0.002;

/** Of each share of which something is known: the part of the whole that its family would have by its worth alone. */
export function partsByWorth(
  descriptor: Descriptor,
  current: Configuration,
  beliefs: ReadonlyMap<string, Belief>,
): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const { known, rest } = sharesOf(descriptor, current, { names, total }, beliefs);
    const worths = known.reduce((sum, { worth }) => sum + worth, 0);
    for (const { knob, worth } of known) parts.set(knob.name, ((worth / worths) * rest) / total);
  }
  return parts;
}

interface KnownShare {
  readonly knob: Knob;
  readonly held: number;
  readonly worth: number;
}

/** `rest` is what those have together of which something is known. */
function sharesOf(
  { knobs }: Descriptor,
  current: Configuration,
  { names, total }: { readonly names: readonly string[]; readonly total: number },
  beliefs: ReadonlyMap<string, Belief>,
): { readonly known: readonly KnownShare[]; readonly rest: number } {
  const shares = knobs
    .filter(({ name }) => names.includes(name))
    .map((knob) => ({ knob, held: knobValue(current, knob) ?? 0, worth: worthOf(knob, beliefs) }));
  const known = shares.flatMap(({ knob, held, worth }) =>
    worth === null ? [] : [{ knob, held, worth: Math.max(worth, least) }],
  );
  const unknown = shares.reduce((sum, { held, worth }) => sum + (worth === null ? held : 0), 0);
  return { known, rest: total - unknown };
}

export function withShares(
  descriptor: Descriptor,
  current: Configuration,
  beliefs: ReadonlyMap<string, Belief>,
): Configuration {
  let result = current;
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const { known, rest } = sharesOf(descriptor, current, { names, total }, beliefs);
    const wanted = known.map(({ knob, held, worth }) => ({
      knob: { ...knob, range: roomOf(knob, held, beliefs) },
      value: worth,
    }));
    for (const [i, value] of renormalised(wanted, rest).entries()) {
      const share = known[i];
      if (share !== undefined) result = withKnob(result, share.knob, value);
    }
  }
  return result;
}

function worthOf({ family }: Knob, beliefs: ReadonlyMap<string, Belief>): number | null {
  return family === null ? null : (beliefs.get(family)?.worth ?? null);
}

function roomOf({ family, range, step }: Knob, held: number, beliefs: ReadonlyMap<string, Belief>): Knob['range'] {
  if (family === null || beliefs.get(family)?.works !== true) return range;
  return { min: Math.max(range.min, held - step), max: Math.min(range.max, held + step) };
}
