// A configuration brought to where its descriptor allows it to be, with every change told.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { sharesSlack } from './check-configuration.ts';
import type { Configuration } from './environment.ts';
import { knobValue, withKnob } from './knobs.ts';
import { renormalised } from './shares.ts';

/** A value that was moved to an allowed one, as events say it. `rule` is what it broke first. */
export type Clamp = EventData['ConfigAdopted']['clamps'][number];

export interface Adjusted {
  readonly configuration: Configuration;
  /** At most one a knob, in the order of the descriptor: what was there, what is used. Empty: nothing was changed. */
  readonly clamps: readonly Clamp[];
}

/**
 * Values out of range go to its end, whole numbers are rounded, shares are brought to their total. What has no number
 * stays as it is: `checkConfiguration` tells of that.
 */
export function adjusted(descriptor: Descriptor, configuration: Configuration): Adjusted {
  const values = new Map<string, number>();
  const broken = new Map<string, Clamp['rule']>();
  for (const knob of descriptor.knobs) {
    const value = knobValue(configuration, knob);
    if (value === undefined) continue;
    const near = nearestAllowed(knob, value);
    values.set(knob.name, near);
    if (near !== value) broken.set(knob.name, isInRange(knob, value) ? 'step' : 'range');
  }
  for (const [name, value] of newShares(descriptor, values)) {
    values.set(name, value);
    if (!broken.has(name)) broken.set(name, 'shares-sum');
  }
  return turned(descriptor, configuration, values, broken);
}

function nearestAllowed({ range: { min, max }, integer }: Knob, value: number): number {
  const cut = Math.min(Math.max(value, min), max);
  return integer === true ? Math.round(cut) : cut;
}

const isInRange = ({ range }: Knob, value: number): boolean => value >= range.min && value <= range.max;

/** The shares that have to change so that each whole has its total. */
function* newShares(
  { knobs, sharesSum = [] }: Descriptor,
  values: ReadonlyMap<string, number>,
): Generator<[string, number]> {
  for (const { knobs: names, total } of sharesSum) {
    const shares = knobs.flatMap((knob) => {
      const value = values.get(knob.name);
      return names.includes(knob.name) && value !== undefined ? [{ knob, value }] : [];
    });
    const sum = shares.reduce((sum, { value }) => sum + value, 0);
    if (shares.length < names.length || Math.abs(sum - total) <= sharesSlack) continue;
    for (const [i, value] of renormalised(shares, total).entries()) {
      const share = shares[i];
      if (share !== undefined && share.value !== value) yield [share.knob.name, value];
    }
  }
}

function turned(
  { knobs }: Descriptor,
  configuration: Configuration,
  values: ReadonlyMap<string, number>,
  broken: ReadonlyMap<string, Clamp['rule']>,
): Adjusted {
  let result = configuration;
  const clamps: Clamp[] = [];
  for (const knob of knobs) {
    const proposed = knobValue(configuration, knob);
    const used = values.get(knob.name);
    const rule = broken.get(knob.name);
    if (proposed === undefined || used === undefined || rule === undefined || used === proposed) continue;
    result = withKnob(result, knob, used);
    clamps.push({ knob: knob.name, family: knob.family, proposed, used, rule });
  }
  return { configuration: result, clamps };
}
