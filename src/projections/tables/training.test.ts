import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { type Ask, History, tablesOf } from '../testing/history.ts';

type Training = EventData['TrainingRecorded'];

let ask: Ask;

const collapse = { kind: 'signal-collapse', family: 'big', measure: 'signal', before: 0.5, now: 0.05 } as const;

beforeAll(async () => {
  const run = new History('whole0000000');
  run.add('RunStarted', null, { name: 'whole', environment: { name: 'maze' } });
  run.add('TrainingRecorded', 1, { ...training(10, 100), alerts: [collapse] });
  run.add('TrainingRecorded', 1, training(50, 1000));
  run.add('TrainingRecorded', 2, { ...training(5, 2000), alerts: [collapse], from: { reference: 'one' } });
  const now = { value: null, reason: 'gone' } as const;
  run.add('SummaryRecorded', 3, {
    module: 'training',
    facts: [],
    exemplars: [],
    text: null,
    alerts: [{ ...collapse, now }],
  });
  run.add('StageCompleted', 2, {});
  const fork = new History('fork00000000');
  const parent = { run: run.run, stage: 1, revision: 2, digest: 'd'.repeat(64) };
  fork.add('RunStarted', null, { name: 'fork', environment: { name: 'maze' }, parent });
  fork.add('TrainingRecorded', 2, {
    spent: { 'agent-steps': 7 },
    learningSignal: [signal('big', 25), signal('small', 75)],
  });
  const arm = { stream: 'ablation-a00000000000' };
  const reproduces = { checkpoint: 'd'.repeat(64), equal: true };
  run.add('ArmTrained', 1, { ...training(1, 9), arm: 'rules', unit: '1', reproduces, alerts: [collapse] }, arm);
  ask = await tablesOf([run, fork]);
});

function signal(family: string | null, withVariance: number): NonNullable<Training['learningSignal']>[number] {
  return { family, sampleGroups: 100, withVariance, share: withVariance / 100 };
}

function training(withVariance: number, agentSteps: number): Training {
  return {
    trainer: { name: 'grpo', parameters: { groups: 2 } },
    checkpoint: { reference: 'there', step: 9 },
    seed: '13611842547513532036',
    spent: { 'agent-steps': agentSteps, updates: 3 },
    results: { reward: 0.5, kl: { value: null, reason: 'NaN' } },
    learningSignal: [
      { ...signal(null, withVariance), entropy: 0.9, kl: { value: null, reason: 'NaN' } },
      signal('big', withVariance),
    ],
    sampled: [
      { family: 'big', tasks: 60, share: 0.6 },
      { family: 'a/b', tasks: 40, share: 0.4 },
    ],
    curve: [
      {
        step: 2,
        spent: { 'agent-steps': 4 },
        values: { reward: 0.5, 'actor/kl': 0.1, 'valid/big': 0.2, 'valid/a/b': 0.3 },
      },
      { step: 3, values: { reward: { value: null, reason: 'NaN' } } },
    ],
    log: { text: 'all well' },
    measured: { seconds: 7.5 },
  };
}

describe('training', () => {
  it('has a row for each training, and the last of a stage counts', async () => {
    expect(
      await ask(
        `SELECT stage, trainer, from_checkpoint, checkpoint, checkpoint_step, agent_steps, updates, seconds, points, seed, log,
           counts FROM training WHERE run = 'whole' AND ablation IS NULL ORDER BY happened_at LIMIT 2`,
      ),
    ).toEqual(
      [100, 1000].map((agent_steps) => ({
        stage: 1,
        trainer: 'grpo',
        from_checkpoint: null,
        checkpoint: 'there',
        checkpoint_step: 9,
        agent_steps,
        updates: 3,
        seconds: 7.5,
        points: 2,
        seed: '13611842547513532036',
        log: 'all well',
        counts: agent_steps === 1000,
      })),
    );
    expect(await ask("SELECT results['reward'] AS reward, results['kl'] AS kl FROM training LIMIT 1")).toEqual([
      { reward: 0.5, kl: null },
    ]);
  });

  it('of an arm says whether it reproduced the recorded one', async () => {
    expect(await ask('SELECT ablation, arm, unit, reproduced, counts FROM training WHERE arm IS NOT NULL')).toEqual([
      { ablation: 'a00000000000', arm: 'rules', unit: '1', reproduced: true, counts: true },
    ]);
  });

  it('has its curve in long form, with families taken from the names of figures', async () => {
    expect(
      await ask(
        `SELECT training_step, agent_steps, measure, family, value, value_reason FROM training_curve
         WHERE run = 'whole' AND stage = 1 AND arm IS NULL ORDER BY training_step, value NULLS FIRST`,
      ),
    ).toEqual([
      { training_step: 2, agent_steps: 4, measure: 'actor/kl', family: null, value: 0.1, value_reason: null },
      { training_step: 2, agent_steps: 4, measure: 'valid', family: 'big', value: 0.2, value_reason: null },
      { training_step: 2, agent_steps: 4, measure: 'valid', family: 'a/b', value: 0.3, value_reason: null },
      { training_step: 2, agent_steps: 4, measure: 'reward', family: null, value: 0.5, value_reason: null },
      { training_step: 3, agent_steps: null, measure: 'reward', family: null, value: null, value_reason: 'NaN' },
    ]);
  });

  it('has the learning signal and the sampled tasks', async () => {
    expect(
      await ask(
        `SELECT family, sample_groups, with_variance, share, entropy, kl_reason, tasks, sampled_share FROM training_signal
         WHERE run = 'whole' AND stage = 1 AND arm IS NULL ORDER BY family NULLS FIRST`,
      ),
    ).toEqual([
      trainingData({ family: null, with_variance: 50, share: 0.5, entropy: 0.9, kl_reason: 'NaN' }),
      { ...trainingData({ family: 'a/b', tasks: 40, sampled_share: 0.4 }), sample_groups: null },
      trainingData({ family: 'big', with_variance: 50, share: 0.5, tasks: 60, sampled_share: 0.6 }),
    ]);
  });
});

function trainingData(known: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const none = {
    with_variance: null,
    share: null,
    entropy: null,
    kl_reason: null,
    tasks: null,
    sampled_share: null,
  };
  return { sample_groups: 100, ...none, ...known };
}

describe('the learning signal', () => {
  it('is shown over the stages, with their agent steps', async () => {
    const { low, high } = wilson(5, 100);
    const [row] = await ask("SELECT * FROM learning_signal WHERE run = 'whole' AND stage = 2 AND family = 'big'");
    expect(row).toMatchObject({
      learning_signal: 0.05,
      signal_before: 0.5,
      change: expect.closeTo(-0.45, 12),
      collapsed: true,
    });
    expect(row).toMatchObject({ signal_low: expect.closeTo(low, 12), signal_high: expect.closeTo(high, 12) });
    expect(row).toMatchObject({
      agent_steps: 2000,
      agent_steps_so_far: 3000,
      sampled_share: 0.6,
      recorded_by: 'whole',
    });
  });

  it('has no previous value at the start, and no alert of a repeated training', async () => {
    expect(
      await ask(
        "SELECT family, signal_before, collapsed FROM learning_signal WHERE run = 'whole' AND stage = 1 AND learning_signal > 0 ORDER BY family NULLS FIRST",
      ),
    ).toEqual([
      { family: null, signal_before: null, collapsed: false },
      { family: 'big', signal_before: null, collapsed: false },
    ]);
  });

  it('of a fork continues that of its parent; its total is computed if it was not recorded', async () => {
    expect(
      await ask(
        `SELECT stage, family, learning_signal, signal_before, agent_steps_so_far, recorded_by FROM learning_signal
         WHERE run = 'fork' AND (family IS NULL OR family = 'big') ORDER BY stage, family NULLS FIRST`,
      ),
    ).toEqual([
      {
        stage: 1,
        family: null,
        learning_signal: 0.5,
        signal_before: null,
        agent_steps_so_far: 1000,
        recorded_by: 'whole',
      },
      {
        stage: 1,
        family: 'big',
        learning_signal: 0.5,
        signal_before: null,
        agent_steps_so_far: 1000,
        recorded_by: 'whole',
      },
      {
        stage: 2,
        family: null,
        learning_signal: 0.5,
        signal_before: 0.5,
        agent_steps_so_far: 1007,
        recorded_by: 'fork',
      },
      {
        stage: 2,
        family: 'big',
        learning_signal: 0.25,
        signal_before: 0.5,
        agent_steps_so_far: 1007,
        recorded_by: 'fork',
      },
    ]);
  });
});

describe('alerts', () => {
  it('are listed once with the last event, without those of repeated trainings', async () => {
    expect(
      await ask('SELECT run, stage, kind, family, before_value, now_value, arm FROM alerts ORDER BY stage DESC'),
    ).toEqual([
      {
        run: 'whole',
        stage: 2,
        kind: 'signal-collapse',
        family: 'big',
        before_value: 0.5,
        now_value: null,
        arm: null,
      },
      {
        run: 'whole',
        stage: 1,
        kind: 'signal-collapse',
        family: 'big',
        before_value: 0.5,
        now_value: 0.05,
        arm: 'rules',
      },
    ]);
    expect(await ask('SELECT unnest(raised_in) AS type FROM alerts WHERE arm IS NULL')).toEqual([
      { type: 'SummaryRecorded' },
      { type: 'TrainingRecorded' },
    ]);
  });
});
