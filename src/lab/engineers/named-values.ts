// A configuration as models read and write it: knobs by name, with as many digits as a model can copy, and no other
// settings.

import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValue, memberOf, withKnob } from '../environments/knobs.ts';

/** The number of digits that a model can copy reliably. */
const shownDigits = 6;

/** The descriptor for configurations in this form. */
export function byName(descriptor: Descriptor): Descriptor {
  return { ...descriptor, knobs: descriptor.knobs.map((knob) => ({ ...knob, path: [knob.name] })) };
}

/** Knobs without a value are left out. */
export function knobsByName({ knobs }: Descriptor, configuration: Configuration): Configuration {
  const values = knobs.map((knob) => [knob.name, shownOf(knob, configuration)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The configuration with these knob values. */
export function withKnobsByName(
  { knobs }: Descriptor,
  configuration: Configuration,
  named: Configuration,
): Configuration {
  return knobs.reduce((all, knob) => {
    const value = memberOf(named, knob.name);
    return typeof value === 'number' ? withKnob(all, knob, value) : all;
  }, configuration);
}

function shownOf(knob: Knob, configuration: Configuration): number | undefined {
  const value = knobValue(configuration, knob);
  return value === undefined ? undefined : Number(value.toPrecision(shownDigits));
}

/**
 * The named values with the digits that were not shown. A copied value is the current one. Where rounding to the shown
 * digits is all that keeps shares from their total, the largest changed share takes up the difference: otherwise every
 * share would be scaled, and knobs that the model left alone would count as changed.
 */
export function withAllDigits(descriptor: Descriptor, current: Configuration, named: Configuration): Configuration {
  const exact = { ...named };
  for (const knob of descriptor.knobs) {
    const value = memberOf(named, knob.name);
    if (value !== undefined && value === shownOf(knob, current)) exact[knob.name] = knobValue(current, knob);
  }
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
    Object.assign(exact, roundedShare(shares, total, current, exact));
  }
  return exact;
}

/** The share that takes up the rounding of all of them, with its new value; nothing if more than rounding is wrong. */
function roundedShare(shares: readonly Knob[], total: number, current: Configuration, exact: Configuration): object {
  const values = shares.map((knob) => {
    const value = memberOf(exact, knob.name);
    return { knob, value: typeof value === 'number' ? value : Number.NaN };
  });
  const missing = total - values.reduce((sum, { value }) => sum + value, 0);
  const rounding = values.reduce((sum, { value }) => sum + unitOf(value), 0);
  if (missing === 0 || !(Math.abs(missing) <= rounding)) return {};
  const largest = values
    .filter(({ knob, value }) => value !== knobValue(current, knob) && knob.integer !== true)
    .toSorted((one, other) => other.value - one.value)
    .find(({ knob: { range }, value }) => value + missing >= range.min && value + missing <= range.max);
  return largest === undefined ? {} : { [largest.knob.name]: largest.value + missing };
}

/** One unit of the last shown digit: half of it for a value shown, half for one that a model rounds as well. */
function unitOf(value: number): number {
  return value === 0 ? 0 : 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - shownDigits);
}
