import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { type Ask, History, tablesOf } from '../testing/history.ts';

let ask: Ask;

const tried: EventData['RolloutRecorded'] = { environment: 'maze', split: 'probe', policy: 'p', outcome: 'done' };

const solved = { ...tried, family: 'small', success: true, reward: 1, agentSteps: 4, truncated: false };
const failed = {
  ...tried,
  family: 'small',
  success: false,
  failureClass: 'slip',
  reward: 0,
  agentSteps: 8,
  truncated: true,
};
const errored = {
  ...tried,
  family: 'small',
  success: false,
  failureClass: 'slip',
  error: { kind: 'Fault', message: '' },
};

beforeAll(async () => {
  const run = new History('run000000000');
  run.add('RunStarted', null, { name: 'first', environment: { name: 'maze' } });
  const attempt = (stage: number, shard: number, which: number) => `evidence-run000000000-${stage}-${shard}-${which}`;
  const play = (stage: number, stream: string, ...rollouts: EventData['RolloutRecorded'][]) => {
    for (const rollout of rollouts) run.add('RolloutRecorded', stage, rollout, { stream });
  };
  play(1, attempt(1, 0, 0), failed, failed, failed);
  play(1, attempt(1, 0, 1), { ...solved, sample: 0 }, { ...failed, sample: 1 }, errored, solved);
  play(1, attempt(1, 1, 0), { ...tried, family: 'big', success: false, failureClass: 'trap' }, tried);
  play(1, attempt(1, 1, 0), { ...solved, split: 'train' });
  run.add('EvidenceSealed', 1, {
    attempts: [
      { stream: attempt(1, 0, 1), count: 3, root: 'd'.repeat(64) },
      { stream: attempt(1, 1, 0), count: 3, root: 'd'.repeat(64) },
    ],
  });
  play(3, attempt(3, 0, 0), { ...tried, success: false, failures: [{ class: 'slip' }, { class: 'trap' }] });
  play(2, attempt(2, 0, 0), { ...failed, sample: 0 }, { ...solved, sample: 1 }, { ...failed, sample: 1 }, solved);
  ask = await tablesOf([run]);
});

describe('stage_stats', () => {
  it('sums rollouts that count, by family and in total', async () => {
    expect(
      await ask(
        `SELECT split, family, rollouts, errored, judged, solved, valid, reward, agent_steps, round(truncated, 3) AS cut
         FROM stage_stats WHERE stage = 1 ORDER BY split, family NULLS FIRST`,
      ),
    ).toEqual([
      { split: 'probe', family: null, rollouts: 5, errored: 1, judged: 3, solved: 1, valid: 1 / 3, ...means(0.5) },
      {
        ...one('big'),
        rollouts: 1,
        errored: 0,
        judged: 1,
        solved: 0,
        valid: 0,
        reward: null,
        agent_steps: null,
        cut: null,
      },
      { ...one('small'), rollouts: 3, errored: 1, judged: 2, solved: 1, valid: 0.5, ...means(0.5) },
      { ...one(null), split: 'train', ...all, reward: 1, agent_steps: 4, cut: 0 },
      { ...one('small'), split: 'train', ...all, reward: 1, agent_steps: 4, cut: 0 },
    ]);
  });

  it('computes intervals from the number of tasks', async () => {
    const { low, high } = wilson(1, 2);
    expect(
      await ask(
        "SELECT rollouts, tasks, valid, valid_low, valid_high FROM stage_stats WHERE stage = 2 AND family = 'small'",
      ),
    ).toEqual([
      { rollouts: 4, tasks: 2, valid: 0.5, valid_low: expect.closeTo(low, 12), valid_high: expect.closeTo(high, 12) },
    ]);
  });

  it('agrees with the single rollouts', async () => {
    expect(
      await ask(
        'SELECT stage, sum(rollouts) AS rollouts FROM stage_stats WHERE family IS NULL GROUP BY stage ORDER BY stage',
      ),
    ).toEqual(await ask('SELECT stage, count(*) AS rollouts FROM rollouts GROUP BY stage ORDER BY stage'));
  });

  it('has the failure classes in stage_failures, without errored rollouts', async () => {
    expect(
      await ask(
        `SELECT family, failure_class, count, out_of, share FROM stage_failures
         WHERE stage = 1 ORDER BY family NULLS FIRST, failure_class`,
      ),
    ).toEqual([
      { family: null, failure_class: 'slip', count: 1, out_of: 4, share: 0.25 },
      { family: null, failure_class: 'trap', count: 1, out_of: 4, share: 0.25 },
      { family: 'big', failure_class: 'trap', count: 1, out_of: 1, share: 1 },
      { family: 'small', failure_class: 'slip', count: 1, out_of: 2, share: 0.5 },
    ]);
  });
});

describe('a rollout that lists its failures', () => {
  it('has the class of the first of them', async () => {
    expect(await ask('SELECT failure_class FROM rollouts WHERE stage = 3')).toEqual([{ failure_class: 'slip' }]);
    expect(await ask('SELECT failure_class, count FROM stage_failures WHERE stage = 3')).toEqual([
      { failure_class: 'slip', count: 1 },
    ]);
  });
});

const all = { rollouts: 1, errored: 0, judged: 1, solved: 1, valid: 1 };

function one(family: string | null): Readonly<Record<string, unknown>> {
  return { split: 'probe', family };
}

function means(cut: number): Readonly<Record<string, unknown>> {
  return { reward: 0.5, agent_steps: 6, cut };
}
