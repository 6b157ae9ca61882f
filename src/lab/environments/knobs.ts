// The knobs of a configuration: where they stand, what they are set to, and the same configuration with one turned.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { digestOf } from './digest.ts';
import type { Configuration } from './environment.ts';

/** A knob set to a value, as events say it. */
export type KnobValue = RecordedConfiguration['knobs'][number];

/** A configuration as events say it: whole, with its digest and its knobs beside. */
export type RecordedConfiguration = EventData['ConfigAdopted']['configuration'];

/** The number a knob is set to; undefined where there is none. */
export function knobValue(configuration: Configuration, { path }: Knob): number | undefined {
  let at: unknown = configuration;
  for (const step of path) at = memberOf(at, step);
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
}

/** All knobs that are set, in the order of the descriptor. */
export function knobValues({ knobs }: Descriptor, configuration: Configuration): KnobValue[] {
  return knobs.flatMap((knob) => {
    const value = knobValue(configuration, knob);
    return value === undefined ? [] : [{ knob: knob.name, family: knob.family, value }];
  });
}

export function recordedConfiguration(descriptor: Descriptor, configuration: Configuration): RecordedConfiguration {
  return { digest: digestOf(configuration), whole: configuration, knobs: knobValues(descriptor, configuration) };
}

/** The same configuration with one knob turned. Nothing of the one handed in is changed. */
export function withKnob(configuration: Configuration, { path }: Knob, value: number): Configuration {
  return withMember(configuration, path, value) as Configuration;
}

function withMember(container: unknown, [step, ...rest]: readonly string[], value: number): unknown {
  if (step === undefined) return value;
  const member = withMember(memberOf(container, step), rest, value);
  if (Array.isArray(container)) return isIndex(step) ? container.with(Number(step), member) : { [step]: member };
  return { ...(isObject(container) ? container : {}), [step]: member };
}

/** The knob of a name. Throws UnknownKnob, which names the near ones. */
export function knobNamed({ environment, knobs }: Descriptor, name: string): Knob {
  const knob = knobs.find((one) => one.name === name);
  if (knob === undefined) {
    throw new UnknownKnob(
      environment,
      name,
      knobs.map((one) => one.name),
    );
  }
  return knob;
}

export class UnknownKnob extends IcecoreError {
  override readonly name = 'UnknownKnob';

  constructor(environment: string, knob: string, known: readonly string[]) {
    const near = nearestNames(knob, known);
    super('not-found', `${environment} has no knob "${knob}"`, {
      facts: { environment, knob, known, nearest: near },
      remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are ${known.join(', ')}.`,
    });
  }
}

/** The member of an object or a list; undefined where it has none of its own. */
export function memberOf(container: unknown, key: string): unknown {
  if (typeof container !== 'object' || container === null || !Object.hasOwn(container, key)) return undefined;
  if (Array.isArray(container) && !isIndex(key)) return undefined;
  return (container as Readonly<Record<string, unknown>>)[key];
}

const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key);

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
