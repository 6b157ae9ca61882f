import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import { golden, verdict as written } from '../../../schemas/testing/golden.ts';
import { digestOf, type Judged, type Task } from '../environments/environment.ts';
import { failureClassOf, familyOf, isFailed } from '../environments/rollout-reading.ts';
import { failureData, rolloutData } from './recorded.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;
const rollout = golden('RolloutRecorded.v1');
const failure = golden('FailureRecorded.v1');

const task: Task = { id: 'p-1', family: '5', instance: { size: 5, holes: [] }, facts: { holes: 0, needsWait: false } };
const trial = {
  environment: 'lake',
  split: 'probe',
  policy: { component: { name: 'neural' }, checkpoint: null },
} as const;
const planned = (answer: unknown) => ({ task, sample: 0, answer });
const fell: Judged = {
  outcome: 'invalid',
  success: false,
  failures: [
    { class: 'hole', step: 3, message: 'agent 1 steps into the hole', details: { cell: [2, 3] } },
    { class: 'goal-missed' },
  ],
  metrics: { waits: 0, cost: { value: null, reason: 'the plan is not valid' } },
  reward: 0,
};
const solved: Judged = { outcome: 'valid', success: true, failures: [], metrics: {} };

describe('a judged answer', () => {
  it('becomes a valid rollout event that reads like the verdict', () => {
    const data = rolloutData(trial, { planned: planned(['R', 'D']), verdict: fell });
    expect(written({ ...rollout, event: { ...rollout.event, data: {} } }, {}, { ...data })).toEqual([]);
    expect(data).toEqual({
      environment: 'lake',
      task: { id: 'p-1', digest: digestOf(task.instance), facts: task.facts, inline: task.instance },
      split: 'probe',
      family: '5',
      sample: 0,
      policy: 'neural',
      answer: ['R', 'D'],
      outcome: 'invalid',
      success: false,
      failureClass: 'hole',
      metrics: fell.metrics,
      reward: 0,
    });
    expect([isFailed(lake, data), failureClassOf(lake, data), familyOf(lake, data)]).toEqual([true, 'hole', '5']);
  });

  it('becomes a valid failure event with all failures', () => {
    const id = '98f69b8a-88e8-875f-8002-140000001003';
    const data = failureData(trial, id, { planned: planned(['R', 'D']), verdict: fell });
    expect(written({ ...failure, event: { ...failure.event, data: {} } }, {}, { ...data })).toEqual([]);
    expect(data).toMatchObject({ rollout: id, failures: fell.failures });
  });

  it('has no failure event if it did not fail', () => {
    const data = rolloutData(trial, { planned: planned(['R', 'D']), verdict: solved });
    expect(isFailed(lake, data)).toBe(false);
    expect(failureData(trial, 'id', { planned: planned(['R', 'D']), verdict: solved })).toBe(null);
  });

  it('is recorded as parsed, otherwise as received', () => {
    const said = { ...planned('{"plan": ["R", "D"]}'), truncated: false };
    expect(rolloutData(trial, { planned: said, verdict: { ...solved, understood: ['R', 'D'] } })).toMatchObject({
      answer: ['R', 'D'],
      truncated: false,
    });
    expect(rolloutData(trial, { planned: said, verdict: fell })).toMatchObject({ answer: said.answer });
  });

  it('with a fault is recorded as neither solved nor failed', () => {
    const spoilt = { spoilt: { kind: 'timeout', message: 'the judge did not answer within 5 s' } };
    const evaluated = { planned: planned(1), verdict: spoilt };
    const data = rolloutData(trial, evaluated);
    expect(written({ ...rollout, event: { ...rollout.event, data: {} } }, {}, { ...data })).toEqual([]);
    expect(data).toMatchObject({ outcome: 'fault', error: spoilt.spoilt });
    expect(data).not.toHaveProperty('success');
    expect(failureData(trial, 'id', evaluated)).toBe(null);
  });
});
