// Knobs that are no shares, turned by a step: easier where hardly anything is solved, harder where the policy is good at
// it. Which knob it is follows from how it fails; which way is harder, from the descriptor.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue } from '../../environments/knobs.ts';
import type { Way } from './evidence.ts';

export type Direction = 'easier' | 'harder';

export interface Turn {
  readonly knob: Knob;
  readonly from: number;
  readonly to: number;
}

/** A knob that provokes this part of what fails is worth turning. */
const telling = 1 / 3;

/** The knobs of a family that can be made harder or easier, and are no shares. What concerns all families is left alone. */
export function turnable({ knobs, sharesSum = [] }: Descriptor, family: string): Knob[] {
  const shares = new Set(sharesSum.flatMap(({ knobs: names }) => names));
  return knobs.filter((knob) => knob.family === family && knob.harder !== undefined && !shares.has(knob.name));
}

/** Null where it is at the end of its range already, or not set at all. */
export function turned(configuration: Configuration, knob: Knob, direction: Direction): Turn | null {
  const from = knobValue(configuration, knob);
  if (from === undefined) return null;
  const { range, step, harder } = knob;
  const sign = (direction === 'harder') === (harder === 'more') ? 1 : -1;
  // As somebody would write it: without the dust that adding leaves behind.
  const to = Number(Math.min(Math.max(from + sign * step, range.min), range.max).toPrecision(12));
  return Math.abs(to - from) < step / 2 ? null : { knob, from, to };
}

/** The ways to fail that a knob provokes; null where they are no great part of all. */
export function provoked({ provokes = [] }: Knob, ways: readonly Way[]): readonly Way[] | null {
  const all = ways.reduce((sum, { value }) => sum + value, 0);
  const own = ways.filter(({ failureClass }) => provokes.includes(failureClass));
  const part = own.reduce((sum, { value }) => sum + value, 0);
  return part > 0 && part >= telling * all ? own : null;
}
