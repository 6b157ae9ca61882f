// Problems found with random histories, as plain examples.
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../schemas/catalogue.ts';
import { streamOf } from '../../schemas/streams.ts';
import { wilson } from '../lab/statistics/distributions.ts';
import { type Ask, configuration, evaluation, History, type Knobs, tablesOf } from './testing/history.ts';

type Adopted = EventData['ConfigAdopted'];

const nothing = { context: null, changes: [], kept: null, clamps: [], rationale: null };

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([parent(), fork(), early(), odd(), ...decided(), historyWithChange()]);
});

function adopted(knobs: Knobs, proposal: string | null = null): Adopted {
  const by = proposal === null ? 'kept' : 'engineer';
  return { by, proposal, configuration: configuration(knobs), previous: null, ...nothing };
}

const engineer = { name: 'gpt' };
let proposal = '';

/** It adopts its proposal, as its fork does. Its last events come after its forks. */
function parent(): History {
  const run = new History('parent000000');
  run.add('RunStarted', null, { name: 'parent', environment: { name: 'maze' } });
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 50 }));
  proposal = run.add('ProposalRecorded', 2, {
    engineer,
    configuration: configuration({ level: 1 }),
    predictions: null,
    ...nothing,
  });
  run.add('ProposalRejected', 3, {
    engineer: { name: 'rules' },
    context: null,
    reason: 'empty',
    issues: [],
    raw: null,
  });
  run.add('ConfigAdopted', 2, adopted({ level: 1 }, proposal));
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 70 }));
  run.add('StageCompleted', 1, {});
  return run;
}

function forkAt(id: string, stage: number, revision: number): History {
  const run = new History(id);
  const parent = { run: 'parent000000', stage, revision, digest: 'd'.repeat(64) };
  run.add('RunStarted', null, { name: id, environment: { name: 'maze' }, parent });
  return run;
}

function fork(): History {
  const run = forkAt('fork00000000', 1, 2);
  run.add('ConfigAdopted', 2, adopted({ level: 1 }, proposal));
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 90 }));
  return run;
}

/** A fork of a parent whose stages were not complete. */
function early(): History {
  const run = forkAt('early0000000', 2, 5);
  run.add('ConfigAdopted', 3, adopted({ level: 1 }));
  return run;
}

function odd(): History {
  const run = new History('odd000000000');
  const one = { family: 'small', value: 0.5 };
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 50 }));
  run.add('EvaluationRecorded', 2, {
    suite: { name: 'validation' },
    split: 'validation',
    rollouts: 10,
    results: [
      { ...one, measure: 'one end', count: 5, of: 10, low: 0.1 },
      { ...one, measure: 'of unknown total', count: 0 },
    ],
  });
  run.add('ConfigAdopted', 1, adopted({ level: 1 }));
  run.add('ConfigAdopted', 2, adopted({}));
  const alert = { kind: 'signal-collapse', family: null, measure: 'signal', before: 1, now: 0 } as const;
  run.add('TrainingRecorded', 2, { alerts: [alert] });
  run.add('TrainingRecorded', 2, {});
  const evidence = { stream: streamOf.evidence(run.run, 2, 0, 0) };
  run.add('RolloutRecorded', 2, { environment: 'maze', split: 'probe', policy: 'neural', outcome: 'valid' }, evidence);
  run.add('EvidenceSealed', 2, { attempts: [] });
  return run;
}

/** The fork continues with its parent's decision before it had a stage. */
function decided(): readonly History[] {
  const run = new History('decided00000');
  const cites = { knob: 'level', family: null, from: null, to: 1, cites: null, reason: 'so' };
  run.add('ConfigAdopted', 1, { ...adopted({ level: 1 }), changes: [cites] });
  const fork = new History('went0on00000');
  const parent = { run: run.run, stage: 1, revision: 0, digest: 'd'.repeat(64) };
  fork.add('RunStarted', null, { name: 'went on', environment: { name: 'maze' }, parent });
  fork.add('StageStarted', 1, {});
  return [run, fork];
}

/** Other knobs replace removed ones. */
function historyWithChange(): History {
  const run = new History('change000000');
  run.add('ConfigAdopted', 1, adopted({ d: 1, b: 1 }));
  run.add('StageStarted', 1, {});
  run.add('ConfigAdopted', 2, adopted({ c: 1, a: 1 }));
  run.add('StageStarted', 2, {});
  return run;
}

describe('tables agree with the fold if', () => {
  it('a seal names no attempt: none counts', async () => {
    expect(await ask('SELECT counts, sealed, events_counted FROM attempts')).toEqual([
      { counts: false, sealed: false, events_counted: 0 },
    ]);
    expect(await ask('SELECT * FROM rollouts')).toEqual([]);
  });

  it('only one bound of an interval was recorded: both are computed', async () => {
    const rows = await ask("SELECT low, high FROM evaluations WHERE measure = 'one end'");
    expect(rows[0]?.['low']).toBeCloseTo(wilson(5, 10).low, 12);
    expect(rows[0]?.['high']).toBeCloseTo(wilson(5, 10).high, 12);
  });

  it('the number of tries is unknown: there is no interval', async () => {
    const columns = 'low, high, wilson_low(0, NULL) AS computed';
    expect(await ask(`SELECT ${columns} FROM evaluations WHERE measure LIKE 'of unknown%'`)).toEqual([
      { low: null, high: null, computed: null },
    ]);
  });

  it('the last validation has no rate over all families', async () => {
    expect(await ask("SELECT validated, valid FROM runs WHERE run_id = 'odd000000000'")).toEqual([
      { validated: 2, valid: null },
    ]);
  });

  it('a training that was repeated had raised an alert', async () => {
    expect(await ask("SELECT alerts FROM stages WHERE run_id = 'odd000000000' AND stage = 2")).toEqual([
      { alerts: [] },
    ]);
  });

  it('a configuration that had knobs has none any more', async () => {
    const columns = 'stage, knob, from_value, to_value';
    expect(await ask(`SELECT ${columns} FROM knob_changes WHERE run_id = 'odd000000000' ORDER BY ALL`)).toEqual([
      { stage: 2, knob: 'level', from_value: 1, to_value: null },
    ]);
  });

  it('one knob replaces another: they are in one order', async () => {
    expect(await ask("SELECT changed FROM curriculum WHERE run_id = 'change000000' AND stage = 2")).toEqual([
      { changed: ['c', 'd', 'a', 'b'] },
    ]);
  });

  it('a stage belongs to the fork, its decision to the parent, and there was no configuration before', async () => {
    const asked = "SELECT run_id, knob, to_value, reason FROM knob_changes WHERE reason = 'so' ORDER BY ALL";
    const changed = { knob: 'level', to_value: 1, reason: 'so' };
    expect(await ask(asked)).toEqual([
      { run_id: 'decided00000', ...changed },
      { run_id: 'went0on00000', ...changed },
    ]);
  });

  it('a fork adopts an answer of its parent', async () => {
    expect(await ask('SELECT run_id, stage, engineer FROM decisions WHERE engineer IS NOT NULL ORDER BY ALL')).toEqual([
      { run_id: 'early0000000', stage: 3, engineer: 'rules' },
      { run_id: 'fork00000000', stage: 2, engineer: 'gpt' },
      { run_id: 'parent000000', stage: 2, engineer: 'gpt' },
    ]);
  });

  it('two runs adopt the same proposal: it is one, with their mean gain', async () => {
    const [row] = await ask(
      "SELECT proposals, adopted, gains, mean_gain FROM engineer_scorecard WHERE engineer = 'gpt'",
    );
    expect(row).toMatchObject({ proposals: 1, adopted: 1, gains: 1 });
    expect(row?.['mean_gain']).toBeCloseTo(0.3, 12);
  });

  it('a stage was complete only after a fork was made', async () => {
    const done =
      "SELECT run_id, stage, completed FROM curriculum WHERE stage = 1 AND recorded_by = 'parent' ORDER BY ALL";
    expect(await ask(`SELECT DISTINCT * FROM (${done}) ORDER BY ALL`)).toEqual([
      { run_id: 'early0000000', stage: 1, completed: false },
      { run_id: 'fork00000000', stage: 1, completed: false },
      { run_id: 'parent000000', stage: 1, completed: true },
    ]);
  });
});
