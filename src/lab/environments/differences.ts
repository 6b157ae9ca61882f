// How two configurations differ.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { adjusted } from './adjust.ts';
import type { Configuration } from './environment.ts';
import { knobValue } from './knobs.ts';

export interface Difference {
  readonly knob: string;
  /** The family the knob belongs to; null when it concerns all of them. */
  readonly family: string | null;
  /** Null where it had no value. */
  readonly from: number | null;
  readonly to: number;
}

/** The knobs that are set otherwise, in the order of the descriptor. */
export function differences({ knobs }: Descriptor, from: Configuration, to: Configuration): Difference[] {
  return knobs.flatMap((knob) => {
    const before = knobValue(from, knob) ?? null;
    const after = knobValue(to, knob);
    if (after === undefined || (before !== null && isSame(knob, before, after))) return [];
    return [{ knob: knob.name, family: knob.family, from: before, to: after }];
  });
}

/** Dust that reckoning leaves behind is no difference. */
function isSame({ step }: Knob, a: number, b: number): boolean {
  return Math.abs(a - b) <= step * 1e-9;
}

/**
 * By how many of its steps each knob moves, once the shares of both configurations are brought to their totals: a share
 * that nobody touched moves as well when others grow. Knobs without a value in both are left out.
 */
export function stepsMoved(descriptor: Descriptor, from: Configuration, to: Configuration): Map<string, number> {
  const was = adjusted(descriptor, from).configuration;
  const is = adjusted(descriptor, to).configuration;
  const moved = new Map<string, number>();
  for (const knob of descriptor.knobs) {
    const before = knobValue(was, knob);
    const after = knobValue(is, knob);
    if (before !== undefined && after !== undefined) moved.set(knob.name, Math.abs(after - before) / knob.step);
  }
  return moved;
}

/** Whether a knob that moved by so many steps counts as kept. */
export function isWithinOneStep(steps: number): boolean {
  return steps <= 1 + 1e-9;
}
