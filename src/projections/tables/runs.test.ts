import { beforeAll, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { type Ask, configuration, descriptor, evaluation, History, tablesOf } from '../testing/history.ts';

const digest = 'd'.repeat(64);

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([whole(), fork(), forkOfFork(), ...others()]);
});

/** Two stages; its fork shares only the first. */
function whole(): History {
  const run = new History('whole0000000');
  run.add('RunStarted', null, {
    name: 'whole',
    environment: { name: 'maze' },
    descriptor: descriptor(['small', 'big']),
    engineer: { name: 'gpt', model: 'gpt-5.4', reads: ['stats'] },
    contextForm: { modules: ['stats', 'failures'] },
    policy: { name: 'neural' },
    trainer: { name: 'grpo' },
    seed: '12345678901234567890',
    stages: 2,
    budget: { 'agent-steps': 1000, updates: 5 },
    tags: ['paper'],
    options: { stages: 2 },
    code: { version: '0.1.0', commit: 'abc' },
  });
  const first = { 'small.level': 0.1, 'big.level': 0.1 };
  run.add('ConfigAdopted', 1, adopted(first));
  run.add('StageStarted', 1, {
    configuration: configuration(first),
    seed: 7,
    budget: { 'agent-steps': 1000 },
    checkpoint: null,
  });
  run.add('TrainingRecorded', 1, { spent: { 'agent-steps': 1010 }, checkpoint: { reference: 'one' } });
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 50, big: 10 }));
  const alert = { kind: 'forgetting', family: 'small', measure: 'valid', before: 0.9, now: 0.5 } as const;
  run.add('SummaryRecorded', 2, {
    module: 'training',
    facts: [],
    exemplars: [],
    text: null,
    alerts: [alert],
  });
  run.add('StageCompleted', 1, {
    spent: { 'agent-steps': 1010, updates: 3 },
    checkpoint: { reference: 'one' },
    alerts: [alert],
  });
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 99, big: 99 }));
  run.add('StageStarted', 2, {});
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 60, big: 20 }, { pooled: false }));
  run.add('EvaluationRecorded', 2, evaluation('hard', 'test', { small: 1, big: 1 }));
  run.add('StageCompleted', 2, {});
  run.add('RunCompleted', null, { stages: 2 });
  const notes = { stream: streamOf.notes(run.run), actor: 'human/ada' };
  run.add('RunAnnotated', null, { note: 'good', tags: ['kept', 'paper'] }, notes);
  run.add('RunAnnotated', 1, { note: 'odd', tags: ['odd'] }, notes);
  return run;
}

/** Shares the first stage of `whole` up to its end. */
function fork(): History {
  const run = new History('fork00000000', Date.UTC(2026, 6, 2));
  const parent = { run: 'whole0000000', stage: 1, revision: 6, digest };
  run.add('RunStarted', null, { name: 'fork', environment: { name: 'maze' }, parent });
  run.add(
    'ConfigAdopted',
    2,
    { ...adopted({ 'small.level': 0.3, 'big.level': 0.1 }), by: 'human' },
    { actor: 'human/ada' },
  );
  run.add('StageStarted', 2, {});
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 70, big: 30 }));
  run.add('StageCompleted', 2, {});
  return run;
}

/** Shares the first two stages of `fork`, which itself shares the first one of `whole`. */
function forkOfFork(): History {
  const run = new History('forkfork0000', Date.UTC(2026, 6, 3));
  const parent = { run: 'fork00000000', stage: 2, revision: 4, digest };
  run.add('RunStarted', null, { name: 'fork of fork', environment: { name: 'maze' }, parent });
  run.add('StageStarted', 3, {});
  return run;
}

function others(): History[] {
  const begun = (run: string, name: string): History => {
    const history = new History(run);
    history.add('RunStarted', null, { name, environment: { name: 'maze' } });
    return history;
  };
  const work = (run: History): { stream: string } => ({ stream: streamOf.work(run.run) });
  const failure = { reason: 'crash', message: 'it broke', resumable: true };
  const running = begun('running00000', 'running');
  running.add('RunClaimed', null, { fencingToken: 2, holder: 'a:1', leaseSeconds: 1e6 }, work(running));
  running.add('RunClaimed', null, { fencingToken: 1, holder: 'a:0', leaseSeconds: 0 }, work(running));
  running.add('StageStarted', 1, {});
  const released = begun('released0000', 'released');
  released.add('RunClaimed', null, { fencingToken: 1, holder: 'a:1', leaseSeconds: 1e6 }, work(released));
  released.add('RunClaimed', null, { fencingToken: 1, holder: 'a:1', leaseSeconds: 0 }, work(released));
  const failed = begun('failed000000', 'same');
  failed.add('RunClaimed', null, { fencingToken: 1, holder: 'a:1', leaseSeconds: 0 }, work(failed));
  failed.add('RunFailed', 1, failure);
  const wentOn = begun('wenton000000', 'same');
  wentOn.add('RunFailed', 1, failure);
  wentOn.add('StageStarted', 1, {});
  const interrupted = begun('interrupted0', 'interrupted');
  interrupted.add('RunFailed', null, { ...failure, reason: 'interrupted' });
  const evidence = new History('evidence0000');
  const rollout = { environment: 'maze', split: 'probe', policy: 'p', outcome: 'lost' } as const;
  evidence.add('RolloutRecorded', 4, rollout, { stream: streamOf.evidence('evidence0000', 4, 0, 0) });
  const noted = new History('noted0000000');
  noted.add('RunAnnotated', null, { note: 'lost', tags: ['lost'] }, { stream: streamOf.notes('noted0000000') });
  const ablation = new History('ablation0000');
  ablation.add('RunClaimed', null, { fencingToken: 1, holder: 'a:1', leaseSeconds: 0 }, work(ablation));
  return [running, released, failed, wentOn, interrupted, evidence, noted, ablation];
}

function ends({ low, high }: { readonly low: number; readonly high: number }) {
  return { valid_low: expect.closeTo(low, 12), valid_high: expect.closeTo(high, 12) };
}

function adopted(knobs: Readonly<Record<string, number>>) {
  const nothing = {
    proposal: null,
    context: null,
    previous: null,
    changes: [],
    kept: null,
    clamps: [],
    rationale: null,
  };
  return { by: 'initial' as const, configuration: configuration(knobs), ...nothing };
}

describe('runs', () => {
  it('have the state that follows from their events, and a claimed ablation is not a run', async () => {
    expect(await ask('SELECT run, state, failed_in, failure FROM runs ORDER BY run_id')).toEqual([
      { run: 'evidence0000', state: 'recorded', failed_in: null, failure: null },
      { run: 'same~failed000000', state: 'failed', failed_in: 1, failure: 'crash' },
      { run: 'fork', state: 'recorded', failed_in: null, failure: null },
      { run: 'fork of fork', state: 'recorded', failed_in: null, failure: null },
      { run: 'interrupted', state: 'stopped', failed_in: null, failure: 'interrupted' },
      { run: 'noted0000000', state: 'recorded', failed_in: null, failure: null },
      { run: 'released', state: 'stopped', failed_in: null, failure: null },
      { run: 'running', state: 'running', failed_in: null, failure: null },
      { run: 'same~wenton000000', state: 'recorded', failed_in: null, failure: null },
      { run: 'whole', state: 'completed', failed_in: null, failure: null },
    ]);
  });

  it('have their settings', async () => {
    const columns = `environment, engineer, model, reads, context_form, modules, policy, trainer, seed, planned, done, budget,
      tags, options, code, code_commit`;
    expect(await ask(`SELECT ${columns} FROM runs WHERE run = 'whole'`)).toEqual([
      {
        environment: 'maze',
        engineer: 'gpt',
        model: 'gpt-5.4',
        reads: ['stats'],
        context_form: 'stats+failures',
        modules: ['stats', 'failures'],
        policy: 'neural',
        trainer: 'grpo',
        seed: '12345678901234567890',
        planned: 2,
        done: 2,
        budget: 1000,
        tags: ['kept', 'paper'],
        options: '{"stages":2}',
        code: '0.1.0',
        code_commit: 'abc',
      },
    ]);
  });

  it('have their last validation, even if its total was not recorded', async () => {
    const rows = await ask(
      'SELECT run, valid, validated, valid_low, valid_high FROM runs WHERE valid > 0 ORDER BY run',
    );
    const rate = (count: number) => ({ valid: count / 200, validated: 2, ...ends(wilson(count, 200)) });
    expect(rows).toEqual([
      { run: 'fork', ...rate(100) },
      { run: 'fork of fork', ...rate(100) },
      { run: 'whole', ...rate(80) },
    ]);
  });

  it('have their parents, and count shared stages', async () => {
    expect(await ask('SELECT run, parent, parent_stage, done FROM runs WHERE parent IS NOT NULL ORDER BY run')).toEqual(
      [
        { run: 'fork', parent: 'whole', parent_stage: 1, done: 2 },
        { run: 'fork of fork', parent: 'fork', parent_stage: 2, done: 2 },
      ],
    );
  });
});

describe('the lineage', () => {
  it('names the run that recorded each stage of a fork', async () => {
    expect(
      await ask("SELECT run, stage, recorded_by, shared, upto FROM lineage WHERE run LIKE 'f%' ORDER BY run, stage"),
    ).toEqual([
      { run: 'fork', stage: 1, recorded_by: 'whole', shared: true, upto: 6 },
      { run: 'fork', stage: 2, recorded_by: 'fork', shared: false, upto: null },
      { run: 'fork of fork', stage: 1, recorded_by: 'whole', shared: true, upto: 6 },
      { run: 'fork of fork', stage: 2, recorded_by: 'fork', shared: true, upto: 4 },
      { run: 'fork of fork', stage: 3, recorded_by: 'fork of fork', shared: false, upto: null },
    ]);
  });

  it('ends at the fork point: later events of its parent are not its history', async () => {
    const sql = 'SELECT run, valid FROM curriculum WHERE stage = 1 AND family IS NULL AND valid > 0 ORDER BY run';
    expect(await ask(sql)).toEqual([
      { run: 'fork', valid: 0.3 },
      { run: 'fork of fork', valid: 0.3 },
      { run: 'whole', valid: 0.99 },
    ]);
  });

  it('includes stages with evidence only', async () => {
    expect(await ask("SELECT stage, recorded_by FROM lineage WHERE run = 'evidence0000'")).toEqual([
      { stage: 4, recorded_by: 'evidence0000' },
    ]);
  });
});

describe('stages', () => {
  it('belong to the run that recorded them', async () => {
    expect(await ask('SELECT run, stage, state, decided_by, engineer FROM stages ORDER BY run_id, stage')).toEqual([
      { run: 'evidence0000', stage: 4, state: 'recorded', decided_by: null, engineer: null },
      { run: 'fork', stage: 2, state: 'completed', decided_by: 'human', engineer: 'human/ada' },
      { run: 'fork of fork', stage: 3, state: 'recorded', decided_by: null, engineer: null },
      { run: 'running', stage: 1, state: 'running', decided_by: null, engineer: null },
      { run: 'same~wenton000000', stage: 1, state: 'recorded', decided_by: null, engineer: null },
      { run: 'whole', stage: 1, state: 'completed', decided_by: 'initial', engineer: null },
      { run: 'whole', stage: 2, state: 'completed', decided_by: null, engineer: null },
    ]);
  });

  it('have their spending and checkpoints, and each alert once', async () => {
    const columns = 'agent_steps, updates, seconds, checkpoint_from, checkpoint_to, seed, alerts, valid';
    expect(await ask(`SELECT ${columns} FROM stages WHERE run = 'whole' AND stage = 1`)).toEqual([
      {
        agent_steps: 1010,
        updates: 3,
        seconds: 4,
        checkpoint_from: null,
        checkpoint_to: 'one',
        seed: '7',
        alerts: [{ kind: 'forgetting', family: 'small', measure: 'valid', before_value: 0.9, now_value: 0.5 }],
        valid: 0.99,
      },
    ]);
  });
});
