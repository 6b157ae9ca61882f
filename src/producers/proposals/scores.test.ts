import { expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { decisionOn } from '../../lab/engineers/decision.ts';
import type { Proposal } from '../../lab/engineers/engineer.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import { withKnob } from '../../lab/environments/knobs.ts';
import { type Scores, type Scoring, scoresOf } from './scores.ts';

const { descriptor, start, check } = openLake();
const [first] = descriptor.families;
const family = first?.family ?? '';
const [knob] = descriptor.knobs.filter((one) => one.family === family && !one.path.includes('data'));

/** The scores of a proposal that sets one knob. */
function scoresAt(value: number, predictions: Proposal['predictions'], known: Partial<Scoring> = {}): Scores {
  if (knob === undefined) throw new Error('the lake has no knob to turn');
  const configuration: Configuration = withKnob(start, knob, value);
  const reasons = [{ knob: knob.name, cites: ['B'], reason: null }];
  const proposal: Proposal = { configuration, reasons, kept: null, predictions, rationale: null };
  const decided = decisionOn(descriptor, start, proposal, check);
  if (!('decision' in decided)) throw new Error('it is refused');
  return scoresOf({
    descriptor,
    current: start,
    decision: decided.decision,
    predictions,
    evidenceIds: {
      B: { module: 'behaviour', events: [], family },
      C: { module: 'behaviour', events: [], family: 'other' },
    },
    behaviour: [{ evidenceId: 'B', family, measure: 'valid', value: 0.9, count: 90, of: 100 }],
    probeHoldout: {
      suite: { name: 'probe-holdout' },
      split: 'probe-holdout',
      rollouts: 10,
      results: [{ family, measure: 'valid', value: 1, count: 10, of: 10 }],
    },
    ...known,
  });
}

it('a proposal has all four scores, and is usable only without clamps', () => {
  const max = knob?.range.max ?? 0;
  const predictions = [{ family, measure: 'valid', value: 0.5 }];
  const scores = scoresAt(max, predictions);
  expect(scores).toEqual({
    citation: 1,
    preservation: 0,
    usable: 1,
    calibration: {
      brier: 0.25,
      rankCorrelation: { value: null, reason: 'there is no order of ranks to compare' },
      families: 1,
      predicted: 1,
    },
  });
  expect(scoresAt(max + 1, predictions)).toEqual({ ...scores, usable: 0 });
});

it('a proposal without a context and without history lacks some scores, with reasons', () => {
  const { citation, preservation, usable, calibration } = scoresAt(knob?.range.max ?? 0, null, {
    evidenceIds: null,
    behaviour: [],
    probeHoldout: null,
  });
  expect(usable).toBe(1);
  for (const score of [citation, preservation, calibration?.brier, calibration?.rankCorrelation])
    expect(score).toEqual({ value: null, reason: expect.stringMatching(/./) });
});
