import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import { golden, verdict as written } from '../../../schemas/testing/golden.ts';
import { digestOf, type Judged, suiteDigest, type Task } from './environment.ts';
import { failureClassOf, failureData, familyOf, isFailed, rolloutData } from './recorded.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;
const rollout = golden('RolloutRecorded.v1');
const failure = golden('FailureRecorded.v1');

const task: Task = { id: 'p-1', family: '5', instance: { size: 5, holes: [] }, facts: { holes: 0, needsWait: false } };
const trial = { split: 'probe', policy: 'neural' } as const;
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
  it('becomes a rollout that may be written and reads as the verdict says', () => {
    const data = rolloutData(lake, trial, { task, answer: ['R', 'D'] }, fell);
    expect(written({ ...rollout, event: { ...rollout.event, data: {} } }, {}, { ...data })).toEqual([]);
    expect(data).toEqual({
      environment: 'lake',
      task: { id: 'p-1', digest: digestOf(task.instance), facts: task.facts, inline: task.instance },
      split: 'probe',
      family: '5',
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

  it('becomes a failure that may be written, in every way it failed', () => {
    const id = '98f69b8a-88e8-875f-8002-140000001003';
    const data = failureData(lake, trial, id, task, fell);
    expect(written({ ...failure, event: { ...failure.event, data: {} } }, {}, { ...data })).toEqual([]);
    expect(data).toMatchObject({ rollout: id, failures: fell.failures, classifier: 'lake/judge@1' });
  });

  it('is no failure when it did not fail', () => {
    const data = rolloutData(lake, trial, { task, answer: ['R', 'D'] }, solved);
    expect(isFailed(lake, data)).toBe(false);
    expect(failureData(lake, trial, 'id', task, solved)).toBe(null);
  });

  it('given as a text is kept as it was said, beside what was understood', () => {
    const said = { task, answer: '{"plan": ["R", "D"]}', truncated: false };
    expect(rolloutData(lake, trial, said, { ...solved, understood: ['R', 'D'] })).toMatchObject({
      completion: { text: said.answer },
      answer: ['R', 'D'],
      truncated: false,
    });
    expect(rolloutData(lake, trial, said, fell)).not.toHaveProperty('answer');
  });

  it('that was spoilt is recorded as that: neither solved nor failed', () => {
    const spoilt = { spoilt: { kind: 'timeout', message: 'the judge did not answer within 5 s' } };
    const data = rolloutData(lake, trial, { task, answer: 1 }, spoilt);
    expect(written({ ...rollout, event: { ...rollout.event, data: {} } }, {}, { ...data })).toEqual([]);
    expect(data).toMatchObject({ outcome: 'error', error: spoilt.spoilt });
    expect(data).not.toHaveProperty('success');
    expect(failureData(lake, trial, 'id', task, spoilt)).toBe(null);
  });
});

it('a suite has the digest of its tasks, whatever they are called', () => {
  const other = { ...task, instance: { size: 4, holes: [] } };
  const digest = suiteDigest([task, other]);
  expect(suiteDigest([{ ...task, id: 'p-2', facts: {}, digest: digestOf(task.instance) }, other])).toBe(digest);
  expect(suiteDigest([other, task])).not.toBe(digest);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
});
