// The draft of a decision: only typed values are sent, and shares can be scaled to their total.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NextDecision } from '../../../schemas/next-output.ts';
import {
  changesIn,
  citesIn,
  decisionOf,
  draftOf,
  emptyDraft,
  faultOf,
  isWhole,
  type NextKnob,
  scaled,
  sumOf,
  unknownCites,
  withKnob,
} from './adopt-draft.ts';

const knobOf = (knob: string, value: number): NextKnob => ({
  ...{ knob, value, meaning: '', family: null, min: 0, max: 1, step: 0.05 },
  ...{ integer: false, harder: null, may_change: true },
});
const knobs = [knobOf('3.data', 0.5), knobOf('8.data', 0.3), knobOf('9.data', 0.2), knobOf('8.hole', 0.1)];
const shares = { knobs: ['3.data', '8.data', '9.data'], total: 1 };
const next = { stage: 3, current: 'c'.repeat(64), knobs } as unknown as NextDecision;

describe('a drafted decision', () => {
  it('changes only typed values that differ', () => {
    const draft = withKnob(withKnob(emptyDraft, '8.hole', { value: '0.2' }), '3.data', { value: '0.50' });
    expect(changesIn(draft, knobs)).toEqual([{ knob: '8.hole', from: 0.1, to: 0.2, steps: 2, reason: '', cites: [] }]);
    expect(decisionOf(draft, { next, context: null, actor: 'human/ada' })).toEqual({
      ...{ stage: 3, current: next.current, context: null, proposal: null, rationale: null },
      ...{ changes: { '8.hole': 0.2 }, reasons: {}, actor: 'human/ada' },
    });
  });

  it('sends reasons and citations only of changes', () => {
    const draft = {
      ...withKnob(
        withKnob(emptyDraft, '8.hole', { value: '0.2', reason: ' falls ', cites: 'F1, FC8.hole F1' }),
        '9.data',
        {
          reason: 'unused',
        },
      ),
      rationale: 'harder',
      cites: 'B8.valid',
    };
    expect(decisionOf(draft, { next, context: 'd', actor: null })).toMatchObject({
      reasons: { '8.hole': { reason: 'falls', cites: ['F1', 'FC8.hole'] } },
      ...{ rationale: 'harder', cites: ['B8.valid'], context: 'd' },
    });
    expect(citesIn(' a,b;c  a ')).toEqual(['a', 'b', 'c']);
    expect(unknownCites(draft, knobs, new Set(['F1', 'B8.valid']))).toEqual(['FC8.hole']);
  });

  it('reports invalid values', () => {
    const [knob] = knobs as [NextKnob];
    const faults = ['', 'x', '-0.1', '1.5', '0.5'].map((value) => faultOf(knob, { value, reason: '', cites: '' }));
    expect(faults).toEqual(['not a number', 'not a number', 'allowed: 0 to 1', 'allowed: 0 to 1', null]);
    expect(faultOf({ ...knob, integer: true, max: 5 }, { value: '1.5', reason: '', cites: '' })).toBe(
      'allowed: whole numbers',
    );
  });

  it('can start from a proposal', () => {
    const proposal = {
      ...{ event: 'e', rationale: null },
      changes: [{ knob: '8.hole', from: 0.1, to: 0.15, reason: 'falls', cites: ['F1'] }],
    } as unknown as NextDecision['proposals'][number];
    expect(changesIn(draftOf(proposal), knobs)).toMatchObject([
      { knob: '8.hole', to: 0.15, reason: 'falls', cites: ['F1'] },
    ]);
    expect(decisionOf(draftOf(proposal), { next, context: null, actor: null })).toMatchObject({ proposal: 'e' });
  });
});

describe('shares in a draft', () => {
  it('keep typed values and scale the others', () => {
    const draft = withKnob(emptyDraft, '3.data', { value: '0.75' });
    expect(isWhole(sumOf(draft, knobs, shares), shares)).toBe(false);
    expect(changesIn(scaled(draft, knobs, shares), knobs).map(({ knob, to }) => [knob, to])).toEqual([
      ['3.data', 0.75],
      ['8.data', 0.15],
      ['9.data', 0.1],
    ]);
  });

  it('sum to their total for any typed values', () => {
    const typed = fc.dictionary(fc.constantFrom(...shares.knobs), fc.double({ min: 0.01, max: 1, noNaN: true }));
    fc.assert(
      fc.property(typed, (values) => {
        const draft = Object.entries(values).reduce(
          (all, [knob, value]) => withKnob(all, knob, { value: String(value) }),
          emptyDraft,
        );
        expect(isWhole(sumOf(scaled(draft, knobs, shares), knobs, shares), shares)).toBe(true);
      }),
    );
  });
});
