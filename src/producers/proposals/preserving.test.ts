import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import { adjusted } from '../../lab/environments/configuration.ts';
import { descriptors, proposalsFor } from '../../lab/environments/testing/descriptors.ts';
import { preservation } from './scores.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;

const configured = (three: number, four: number, five: number, hole = 0.2) => ({
  agents: 2,
  sizes: { '3': size(three, hole), '4': size(four, 0.2), '5': size(five, 0.2) },
});
const size = (data: number, hole: number) => ({ data, hole, wait: 0.25 });

function rate(family: string, count: number, of: number): Fact {
  return { evidenceId: `B${family}.valid`, family, measure: 'valid', value: count / of, count, of };
}

describe('the preservation score', () => {
  const current = configured(0.5, 0.3, 0.2);
  /** The lower bounds of their intervals are .85 and .604; nothing is known of the third family. */
  const behaviour = [rate('3', 92, 100), rate('4', 70, 100)];

  it.each([
    ['is 1 if nothing moves', configured(0.5, 0.3, 0.2), 1],
    ['is 1 if each family moves by one step', configured(0.45, 0.25, 0.3), 1],
    ['is 0.5 if one of two working families moves by more', configured(0.5, 0.2, 0.3), 0.5],
    ['is 0 if both working families move by more', configured(0.2, 0.2, 0.6), 0],
    ['is 0.5 if a knob other than a share moves by more', configured(0.5, 0.3, 0.2, 0.3), 0.5],
    ['is 1 if shares only change their scale', configured(0.25, 0.15, 0.1), 1],
    ['is 0.5 if a share shrinks because another grows', configured(0.5, 0.3, 0.4), 0.5],
    ['is 1 if only families that do not work move', configured(0.5, 0.25, 0.25), 1],
  ])('%s', (_, proposed, score) => {
    expect(preservation(lake, current, proposed, behaviour)).toBe(score);
  });

  it.each([
    ['is 1 if a knob of all families moves by one step', 3, 1],
    ['is 0 if a knob of all families moves by more', 4, 0],
  ])('%s', (_, agents, score) => {
    expect(preservation(lake, current, { ...current, agents }, behaviour)).toBe(score);
  });

  it.each([
    [[rate('3', 70, 100)], 0],
    [[rate('3', 68, 100)], null],
    [[rate('3', 6, 6)], 0],
    [[rate('3', 5, 5)], null],
    [[rate('3', 0, 0)], null],
    [[{ evidenceId: 'B', family: '3', measure: 'valid', value: 0.7, low: 0.6 }], 0],
    [[{ evidenceId: 'B', family: '3', measure: 'valid', value: 0.7 }], null],
    // Ten tries of two tasks.
    [[{ ...rate('3', 10, 10), low: 0.34 }], null],
    [[{ ...rate('3', 68, 100), low: 0.61 }], 0],
    [[{ ...rate('3', 100, 100), measure: 'optimal' }], null],
    [[{ ...rate('3', 100, 100), family: null }], null],
  ] as const)('counts a family only if it works with confidence: %j', (facts, score) => {
    const moved = configured(0.1, 0.3, 0.6);
    const none = { value: null, reason: 'no family works yet' };
    expect(preservation(lake, current, moved, facts)).toEqual(score ?? none);
  });

  it('is undefined without recorded success rates', () => {
    const reason = 'the success rates of families were not recorded';
    expect(preservation(lake, current, current, [])).toEqual({ value: null, reason });
  });

  it('is 1 if the configuration stays, and otherwise a fraction of the working families', () => {
    const moves = descriptors.chain((descriptor) =>
      fc.tuple(fc.constant(descriptor), proposalsFor(descriptor), proposalsFor(descriptor)),
    );
    fc.assert(
      fc.property(moves, ([descriptor, one, other]) => {
        const [from, to] = [adjusted(descriptor, one).configuration, adjusted(descriptor, other).configuration];
        const facts = descriptor.families.map(({ family }) => rate(family, 90, 100));
        expect(preservation(descriptor, from, from, facts)).toBe(1);
        const score = preservation(descriptor, from, to, facts) as number;
        expect(score * facts.length).toBeCloseTo(Math.round(score * facts.length), 4);
      }),
      { numRuns: 50 },
    );
  });
});
