import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { type Ask, evaluation, History, tablesOf } from '../testing/history.ts';

let ask: Ask;

const bare: EventData['EvaluationRecorded'] = {
  suite: { name: 'gsm' },
  split: 'test',
  rollouts: 4,
  results: [{ family: null, measure: 'acc', value: { value: null, reason: 'not recorded' } }],
};

beforeAll(async () => {
  const run = new History('run000000000');
  run.add('RunStarted', null, { name: 'first', environment: { name: 'maze' } });
  run.add('EvaluationRecorded', 1, {
    ...evaluation('validation', 'validation', { small: 50, big: 10 }),
    cells: [
      { family: 'big', conditions: { agents: 2 }, rollouts: 7, results: [{ measure: 'valid', value: 0.5, low: 0.1 }] },
      { family: 'big', rollouts: 3, results: [{ measure: 'valid', value: 1, count: 3, of: 3, low: 0.3, high: 1 }] },
    ],
    failures: [{ family: 'big', class: 'slip', count: 90 }],
  });
  run.add('EvaluationRecorded', 1, {
    ...evaluation('validation', 'validation', { small: 60 }),
    policy: { name: 'neural' },
    checkpoint: { reference: 'one', digest: 'd'.repeat(64) },
    failures: [{ family: null, class: 'slip', count: 40 }],
  });
  for (const reference of ['one', 'two', 'two'])
    run.add('EvaluationRecorded', null, { ...bare, checkpoint: { reference } });
  const arm = { stream: 'ablation-a00000000000' };
  for (const unit of ['1', '2']) run.add('ArmEvaluated', 1, { ...bare, arm: 'gpt', unit, armRun: 'fork00000000' }, arm);
  ask = await tablesOf([run]);
});

describe('evaluations', () => {
  it('have a row for each measure over all families, of each family and of each cell', async () => {
    const rows = await ask(
      `SELECT family, conditions, value, count, out_of, rollouts FROM evaluations
       WHERE suite = 'validation' AND NOT counts ORDER BY family NULLS FIRST, value`,
    );
    expect(rows).toEqual([
      { family: null, conditions: null, value: 0.3, count: 60, out_of: 200, rollouts: 200 },
      { family: 'big', conditions: null, value: 0.1, count: 10, out_of: 100, rollouts: 200 },
      { family: 'big', conditions: '{"agents":2}', value: 0.5, count: null, out_of: null, rollouts: 7 },
      { family: 'big', conditions: '{}', value: 1, count: 3, out_of: 3, rollouts: 3 },
      { family: 'small', conditions: null, value: 0.5, count: 50, out_of: 100, rollouts: 200 },
    ]);
  });

  it('have the recorded interval, otherwise that of the counts', async () => {
    const [counted] = await ask('SELECT low, high FROM evaluations WHERE value = 0.1 AND conditions IS NULL');
    expect(counted?.['low']).toBeCloseTo(wilson(10, 100).low, 12);
    expect(counted?.['high']).toBeCloseTo(wilson(10, 100).high, 12);
    expect(await ask("SELECT low, high FROM evaluations WHERE conditions = '{}'")).toEqual([{ low: 0.3, high: 1 }]);
    expect(await ask('SELECT low, high FROM evaluations WHERE rollouts = 7')).toEqual([{ low: 0.1, high: null }]);
  });

  it('count if no later one of their stage is on the same suite', async () => {
    expect(
      await ask(
        "SELECT DISTINCT counts, policy, checkpoint FROM evaluations WHERE suite = 'validation' ORDER BY counts",
      ),
    ).toEqual([
      { counts: false, policy: null, checkpoint: null },
      { counts: true, policy: 'neural', checkpoint: 'd'.repeat(64) },
    ]);
  });

  it('outside of stages replace only those of the same checkpoint', async () => {
    const rows = await ask(
      'SELECT checkpoint, counts, value, value_reason FROM evaluations WHERE stage IS NULL ORDER BY happened_at',
    );
    const none = { value: null, value_reason: 'not recorded' };
    expect(rows).toEqual([
      { checkpoint: 'one', counts: true, ...none },
      { checkpoint: 'two', counts: false, ...none },
      { checkpoint: 'two', counts: true, ...none },
    ]);
  });

  it('of arms have their arm and ablation, and each unit counts', async () => {
    expect(
      await ask("SELECT run, ablation, arm, unit, arm_run, counts FROM evaluations WHERE arm = 'gpt' ORDER BY unit"),
    ).toEqual(
      ['1', '2'].map((unit) => ({
        run: 'first',
        ablation: 'a00000000000',
        arm: 'gpt',
        unit,
        arm_run: 'fork00000000',
        counts: true,
      })),
    );
  });

  it('have their failures in evaluation_failures only if they count', async () => {
    expect(await ask('SELECT stage, suite, family, failure_class, count FROM evaluation_failures')).toEqual([
      { stage: 1, suite: 'validation', family: null, failure_class: 'slip', count: 40 },
    ]);
  });
});
