// A configuration as an engineer who reads and writes sees it: every knob by its name, and nothing beside the knobs.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue, withKnob } from '../../environments/knobs.ts';

/** As many digits as somebody who writes them down again gets right. */
export function shownValue(value: number): number {
  return Number(value.toPrecision(6));
}

/** The descriptor of configurations that are written so. */
export function byName(descriptor: Descriptor): Descriptor {
  return { ...descriptor, knobs: descriptor.knobs.map((knob) => ({ ...knob, path: [knob.name] })) };
}

/** Knobs without a value are left out. */
export function knobsByName({ knobs }: Descriptor, configuration: Configuration): Configuration {
  const values = knobs.map((knob) => [knob.name, shownOf(knob, configuration)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The configuration with its knobs set so. What is set as it was shown stays as it is, with all its digits. */
export function withKnobsByName(
  { knobs }: Descriptor,
  configuration: Configuration,
  named: Configuration,
): Configuration {
  return knobs.reduce((all, knob) => {
    const value = named[knob.name];
    return typeof value !== 'number' || value === shownOf(knob, configuration) ? all : withKnob(all, knob, value);
  }, configuration);
}

function shownOf(knob: Knob, configuration: Configuration): number | undefined {
  const value = knobValue(configuration, knob);
  return value === undefined ? undefined : shownValue(value);
}
