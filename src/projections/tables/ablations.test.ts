import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { type Ask, configuration, History, tablesOf } from '../testing/history.ts';

let ask: Ask;

const begun: EventData['AblationStarted'] = {
  name: 'forms',
  histories: [{ run: 'run000000000', decisions: [2, 1], revision: 9, digest: 'd'.repeat(64) }],
  depth: 'train',
  arms: [
    { arm: 'fixed', engineer: { name: 'fixed' }, contextForm: null, baseline: true },
    {
      arm: 'gpt/failures',
      engineer: { name: 'gpt', model: 'gpt-5.4', reads: ['failures'] },
      contextForm: { modules: ['failures'] },
      baseline: false,
      notApplicable: ['stats'],
    },
  ],
  seeds: ['13611842547513532036', 2],
  primary: { arm: 'gpt/failures', reference: 'fixed', measure: 'valid', better: 'higher' },
  level: 0.95,
};

const rollout: EventData['RolloutRecorded'] = {
  ...{ environment: 'maze', split: 'validation', policy: 'neural', sample: 0, outcome: 'valid', success: true },
};

const measured: Omit<EventData['ArmEvaluated'], 'arm' | 'unit'> = {
  ...{ suite: { name: 'validation' }, split: 'validation', rollouts: 1 },
  results: [{ family: null, measure: 'valid', value: 1, count: 1, of: 1 }],
};

/** One arm never trains, one trains at the second attempt, one decides at the second attempt, one has no error. */
function errored(): readonly History[] {
  const run = new History('errors000000');
  const of = { stream: 'ablation-lost00000000' };
  const arms = ['never', 'trained', 'decides', 'whole'].map((arm) => ({
    ...{ arm, engineer: { name: 'rules' }, contextForm: { modules: ['stats'] }, baseline: false },
  }));
  run.add('AblationStarted', null, { ...begun, name: 'lost', arms, primary: null }, of);
  const fault = (arm: string, during: EventData['ArmErrored']['during'], message: string): void => {
    const error = { kind: 'crashed' as const, message };
    const common = { engineer: { name: 'rules' }, context: null, raw: null, unit: 'seed 1' };
    run.add('ArmErrored', 2, { ...common, arm, during, error, resumable: true }, of);
  };
  const proposed = (arm: string): void => {
    const { configuration, changes, kept, clamps, rationale, predictions } = emptyProposal;
    const data = { engineer: { name: 'rules' }, context: null, sample: 0 };
    run.add(
      'ArmProposed',
      2,
      { ...data, ...{ configuration, changes, kept, clamps, rationale, predictions }, arm, unit: 'seed 1' },
      of,
    );
  };
  proposed('never');
  fault('never', 'train', 'the trainer ended with exit code 1');
  fault('never', 'train', 'the trainer ended with exit code 2');
  proposed('trained');
  fault('trained', 'train', 'no memory');
  run.add('ArmTrained', 2, { arm: 'trained', unit: 'seed 1', spent: {} }, of);
  fault('decides', 'propose', 'no answer');
  proposed('decides');
  proposed('whole');
  return [run];
}

const emptyProposal = {
  ...{
    configuration: configuration({ level: 1 }),
    changes: [],
    kept: null,
    clamps: [],
    rationale: null,
    predictions: null,
  },
};

beforeAll(async () => {
  const run = new History('run000000000');
  run.add('RunStarted', null, { name: 'first', environment: { name: 'maze' } });
  const over = { stream: 'ablation-over00000000' };
  run.add('AblationStarted', null, begun, over);
  run.add('AblationCompleted', null, { results: [], contrasts: [], unfinished: [], conclusions: ['nothing'] }, over);
  run.add(
    'AblationCompleted',
    null,
    {
      results: [
        { arm: 'fixed', measure: 'valid', statistic: 'mean', value: 0.3, low: 0.2, high: 0.4, units: 2 },
        { arm: 'gpt/failures', measure: 'valid', statistic: 'mean', value: { value: null, reason: 'died' }, units: 0 },
      ],
      contrasts: [
        {
          arm: 'gpt/failures',
          reference: 'fixed',
          measure: 'valid',
          declared: true,
          units: 2,
          difference: 0.1,
          p: 0.04,
          adjusted: { value: null, reason: 'only one' },
          verdict: 'inconclusive',
          unitsNeeded: 12,
        },
      ],
      unfinished: [{ arm: 'gpt/failures', reason: 'no money' }],
      conclusions: ['Too few.'],
      cost: { currency: 'USD', total: 3 },
    },
    over,
  );
  const { name: _, ...unnamed } = begun;
  run.add('AblationStarted', null, { ...unnamed, primary: null }, { stream: 'ablation-open00000000' });
  const arms = new History('over00000000');
  const stream = 'evidence-over00000000-2-arm1.validation-0';
  arms.add('RolloutRecorded', 2, rollout, { stream });
  arms.add('RolloutRecorded', 2, { ...rollout, sample: 1 }, { stream });
  const sealed = { attempts: [{ stream, count: 1, root: 'e'.repeat(64) }] };
  arms.add('EvidenceSealed', 2, sealed, over);
  const shared = [{ stream, from: 0, to: 0, root: 'e'.repeat(64) }];
  for (const arm of ['fixed', 'gpt/failures'])
    run.add('ArmEvaluated', 2, { arm, unit: 'seed 1', ...measured }, { ...over, evidence: shared });
  ask = await tablesOf([run, arms, ...errored()]);
});

/** A run, an ablation of it and a second ablation, all called the same; the ablations have evidence. */
function namesakes(): readonly History[] {
  const run = new History('namesake0000');
  run.add('RunStarted', null, { name: 'same', environment: { name: 'maze' } });
  run.add('RolloutRecorded', 1, rollout, { stream: 'evidence-namesake0000-1-validation-0' });
  const ablations = ['one000000000', 'two000000000'].map((id) => {
    const ablation = new History(id);
    ablation.add('AblationStarted', null, { ...begun, name: 'same' }, { stream: `ablation-${id}` });
    ablation.add('RolloutRecorded', 1, rollout, { stream: `evidence-${id}-1-arm0.validation-0` });
    return ablation;
  });
  return [run, ...ablations];
}

describe('the evidence of arms', () => {
  it('is listed under the name of the ablation, up to its seal, and is not a run', async () => {
    expect(await ask('SELECT run, stage, part, sample, sealed FROM rollouts')).toEqual([
      { run: 'forms', stage: 2, part: 'arm1.validation', sample: 0, sealed: true },
    ]);
    expect(await ask('SELECT run, part, counts, events_counted FROM attempts')).toEqual([
      { run: 'forms', part: 'arm1.validation', counts: true, events_counted: 1 },
    ]);
    expect(await ask('SELECT run_id FROM runs')).toEqual([{ run_id: 'run000000000' }]);
  });
});

describe('ablations called like a run or like each other', () => {
  it('have their identity in their name, so that no query by name mixes their rollouts', async () => {
    const named = await tablesOf(namesakes());
    const rows = ['same', 'same~one000000000', 'same~two000000000'].map((run) => ({ run, rollouts: 1 }));
    for (const table of ['rollouts', 'attempts'])
      expect(await named(`SELECT run, count(*) AS rollouts FROM ${table} GROUP BY run ORDER BY run`)).toEqual(rows);
  });
});

describe('the events of an ablation', () => {
  it('have the name of the ablation, as the rollouts of its arms have', async () => {
    expect(
      await ask(
        "SELECT run, type, count(*) AS events FROM events WHERE run_id = 'over00000000' GROUP BY ALL ORDER BY type",
      ),
    ).toEqual([
      { run: 'forms', type: 'EvidenceSealed', events: 1 },
      { run: 'forms', type: 'RolloutRecorded', events: 2 },
    ]);
  });
});

describe('errored arms', () => {
  it('differ from those whose errors were resolved', async () => {
    expect(await ask("SELECT arm, errored, error FROM arms WHERE ablation_name = 'lost' ORDER BY position")).toEqual([
      { arm: 'never', errored: true, error: 'the trainer ended with exit code 2' },
      { arm: 'trained', errored: false, error: null },
      { arm: 'decides', errored: false, error: null },
      { arm: 'whole', errored: false, error: null },
    ]);
    expect(await ask("SELECT arm, errored, error FROM arms WHERE ablation_name = 'forms' ORDER BY position")).toEqual([
      { arm: 'fixed', errored: false, error: null },
      { arm: 'gpt/failures', errored: true, error: 'no money' },
    ]);
  });

  it('have every error, at any step', async () => {
    expect(
      await ask('SELECT arm, unit, stage, during, kind, error, counts, resumable FROM arm_errors ORDER BY id'),
    ).toEqual([
      { arm: 'never', during: 'train', counts: false, error: 'the trainer ended with exit code 1', ...common },
      { arm: 'never', during: 'train', counts: true, error: 'the trainer ended with exit code 2', ...common },
      { arm: 'trained', during: 'train', counts: false, error: 'no memory', ...common },
      { arm: 'decides', during: 'propose', counts: false, error: 'no answer', ...common },
    ]);
  });

  const common = { unit: 'seed 1', stage: 2, kind: 'crashed', resumable: true };
});

describe('the rollouts of arms', () => {
  it('are found by arm, including shared ones', async () => {
    expect(
      await ask(
        `SELECT e.arm, e.unit, e.suite, r.sample, r.success FROM arm_evidence AS e
         JOIN rollouts AS r ON r.stream = e.stream AND r.revision BETWEEN e.first_revision AND e.last_revision
         WHERE e.ablation_name = 'forms' ORDER BY e.arm`,
      ),
    ).toEqual([
      { arm: 'fixed', unit: 'seed 1', suite: 'validation', sample: 0, success: true },
      { arm: 'gpt/failures', unit: 'seed 1', suite: 'validation', sample: 0, success: true },
    ]);
  });
});

describe('ablations', () => {
  it('are listed from their start, with the content of their last completion event', async () => {
    expect(
      await ask(
        `SELECT ablation, name, completed, arms, runs[1] AS run, decisions[1] AS decision, seeds[1] AS seed, primary_arm,
           conclusions[1] AS conclusion, unfinished[1].reason AS reason, cost FROM ablations
          WHERE name <> 'lost' ORDER BY ablation DESC`,
      ),
    ).toEqual([
      {
        ablation: 'over00000000',
        name: 'forms',
        completed: true,
        arms: 2,
        run: 'run000000000',
        decision: 1,
        seed: '13611842547513532036',
        primary_arm: 'gpt/failures',
        conclusion: 'Too few.',
        reason: 'no money',
        cost: 3,
      },
      expect.objectContaining({ name: 'open00000000', completed: false, primary_arm: null, conclusion: null }),
    ]);
  });

  it('have their arms, results and contrasts', async () => {
    expect(
      await ask(
        `SELECT arm, engineer, model, modules[1] AS module, not_applicable[1] AS blind, baseline, position FROM arms
         WHERE ablation_name = 'forms' ORDER BY position`,
      ),
    ).toEqual([
      { arm: 'fixed', engineer: 'fixed', model: null, module: null, blind: null, baseline: true, position: 1 },
      {
        arm: 'gpt/failures',
        engineer: 'gpt',
        model: 'gpt-5.4',
        module: 'failures',
        blind: 'stats',
        baseline: false,
        position: 2,
      },
    ]);
    expect(await ask('SELECT arm, statistic, value, value_reason, low, units FROM arm_results ORDER BY arm')).toEqual([
      { arm: 'fixed', statistic: 'mean', value: 0.3, value_reason: null, low: 0.2, units: 2 },
      { arm: 'gpt/failures', statistic: 'mean', value: null, value_reason: 'died', low: null, units: 0 },
    ]);
    expect(
      await ask(
        'SELECT reference, declared, difference, p, adjusted, verdict, units_needed, ablation_name FROM contrasts',
      ),
    ).toEqual([
      {
        reference: 'fixed',
        declared: true,
        difference: 0.1,
        p: 0.04,
        adjusted: null,
        verdict: 'inconclusive',
        units_needed: 12,
        ablation_name: 'forms',
      },
    ]);
  });

  it('can be queried with every SQL statement of docs/ablation.md', async () => {
    const text = readFileSync('docs/ablation.md', 'utf8');
    const typed = Array.from(text.matchAll(/^ +icecore sql "(.+)"$/gm), ([, sql = '']) => sql);
    const blocks = Array.from(text.matchAll(/^```sql\n([\s\S]+?)^```$/gm), ([, sql = '']) => sql);
    expect(typed.length).toBeGreaterThan(1);
    for (const sql of [...typed, ...blocks]) expect(await ask(sql)).toBeInstanceOf(Array);
  });
});
