// Reads and sets the knobs of a configuration.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { UnknownName } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { type Configuration, digestOf } from './environment.ts';

/** A knob with its value as recorded in events. */
type KnobValue = RecordedConfiguration['knobs'][number];

/** A complete configuration as recorded in events, with its digest and its knob values. */
type RecordedConfiguration = EventData['ConfigAdopted']['configuration'];

/** The value of a knob; undefined if it is not a number. */
export function knobValue(configuration: Configuration, { path }: Knob): number | undefined {
  let at: unknown = configuration;
  for (const step of path) at = memberOf(at, step);
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
}

/** All knobs with a value, in the order of the descriptor. */
export function knobValues({ knobs }: Descriptor, configuration: Configuration): KnobValue[] {
  return knobs.flatMap((knob) => {
    const value = knobValue(configuration, knob);
    return value === undefined ? [] : [{ knob: knob.name, family: knob.family, value }];
  });
}

export function recordedConfiguration(descriptor: Descriptor, configuration: Configuration): RecordedConfiguration {
  return { digest: digestOf(configuration), whole: configuration, knobs: knobValues(descriptor, configuration) };
}

/** A copy of the configuration with one knob changed. */
export function withKnob(configuration: Configuration, { path }: Knob, value: number): Configuration {
  return withMember(configuration, path, value) as Configuration;
}

function withMember(container: unknown, [step, ...rest]: readonly string[], value: number): unknown {
  if (step === undefined) return value;
  const member = withMember(memberOf(container, step), rest, value);
  if (Array.isArray(container)) return isIndex(step) ? container.with(Number(step), member) : { [step]: member };
  return { ...(isObject(container) ? container : {}), [step]: member };
}

/** The knob with this name. Throws UnknownKnob, which names similar knobs. */
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

export class UnknownKnob extends UnknownName {
  override readonly name = 'UnknownKnob';

  constructor(environment: string, knob: string, known: readonly string[]) {
    const near = nearestNames(knob, known);
    super(knob, `${environment} has no knob "${knob}"`, {
      facts: { environment, knob, known, nearest: near },
      remedy: didYouMean(near, `There are ${known.join(', ')}.`),
    });
  }
}

/** An own member of an object or list; undefined if there is none. */
export function memberOf(container: unknown, key: string): unknown {
  if (typeof container !== 'object' || container === null || !Object.hasOwn(container, key)) return undefined;
  if (Array.isArray(container) && !isIndex(key)) return undefined;
  return (container as Readonly<Record<string, unknown>>)[key];
}

const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key);

// Scales shares to their total by a common factor, except for those that reach the end of their range.

interface Share {
  readonly knob: Knob;
  readonly value: number;
}

/** Less than this part of the total counts as nothing, because no factor can scale it up. */
const negligible = 1e-12;

/**
 * The same shares with values that sum to the total, each within its range. If the ranges do not allow the total, the
 * sum is as close as possible. Shares that are all zero become equal.
 */
export function renormalised(shares: readonly Share[], total: number): number[] {
  const weights = shares.map(({ value }) => (value > total * negligible ? value : 0));
  const scaled = spread(shares, weights, total);
  const missing = total - sumOf(scaled);
  // Scaling cannot raise a zero: shares at 0 divide what the others could not take.
  const filled = missing > total * negligible ? topped(shares, weights, scaled, total) : scaled;
  return shares.length > 0 && shares.every(({ knob }) => knob.integer === true) ? whole(shares, filled, total) : filled;
}

function topped(
  shares: readonly Share[],
  weights: readonly number[],
  scaled: readonly number[],
  total: number,
): number[] {
  const taken = sumOf(scaled.filter((_, i) => (weights[i] as number) > 0));
  const empty = shares.filter((_, i) => weights[i] === 0);
  const parts = spread(
    empty,
    empty.map(() => 1),
    total - taken,
  );
  return scaled.map((value, i) => (weights[i] === 0 ? (parts.shift() as number) : value));
}

/**
 * Weights times one factor, clamped to the ranges, with the factor that makes them sum to the total. Each round fixes
 * the shares that leave their range on the side with the larger loss and rescales the others.
 */
function spread(shares: readonly Share[], weights: readonly number[], total: number): number[] {
  const values = shares.map(() => 0);
  const free = new Set(shares.keys());
  while (free.size > 0) {
    const held = sumOf(values.filter((_, i) => !free.has(i)));
    const weight = sumOf(weights.filter((_, i) => free.has(i)));
    const factor = weight > 0 ? Math.max(total - held, 0) / weight : 0;
    let balance = 0;
    for (const i of free) {
      const wanted = (weights[i] as number) * factor;
      values[i] = within(shares[i] as Share, wanted);
      balance += (values[i] as number) - wanted;
    }
    const leaving = [...free].filter((i) => {
      const off = (values[i] as number) - (weights[i] as number) * factor;
      return balance > 0 ? off > 0 : balance < 0 ? off < 0 : true;
    });
    for (const i of leaving) free.delete(i);
  }
  return values;
}

function within({ knob: { range } }: Share, value: number): number {
  return Math.min(Math.max(value, range.min), range.max);
}

/** Integers that sum to the total: rounded down, then the largest remainders are rounded up. */
function whole(shares: readonly Share[], values: readonly number[], total: number): number[] {
  const down = values.map((value) => Math.floor(value + 1e-9));
  let missing = Math.round(total - sumOf(down));
  const byRemainder = [...values.keys()].sort((a, b) => remainder(values, down, b) - remainder(values, down, a));
  for (const i of byRemainder) {
    const room = (shares[i] as Share).knob.range.max - (down[i] as number);
    if (missing < 1 || room < 1) continue;
    down[i] = (down[i] as number) + 1;
    missing -= 1;
  }
  return down;
}

const remainder = (values: readonly number[], down: readonly number[], i: number): number =>
  (values[i] as number) - (down[i] as number);

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
