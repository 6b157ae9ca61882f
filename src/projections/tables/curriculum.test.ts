import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { type Ask, configuration, descriptor, evaluation, History, type Knobs, tablesOf } from '../testing/history.ts';

type Adopted = EventData['ConfigAdopted'];

const families = ['small', 'big'];
const even = { 'small.data': 1, 'small.level': 0.1, 'big.data': 1, 'big.level': 0.1, players: 2 };
const harder = { ...even, 'big.level': 0.2 };
const parent = { run: 'parent000000', stage: 1, revision: 6, digest: 'd'.repeat(64) };

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([
    begun('parent000000', 'parent', [30, 70]),
    fork(),
    begun('other0000000', 'other', [20, 50]),
    bare(),
  ]);
});

function adopted(knobs: Knobs, more: Partial<Adopted> = {}): Adopted {
  const nothing = {
    proposal: null,
    context: null,
    previous: null,
    changes: [],
    kept: null,
    clamps: [],
    rationale: null,
  };
  return { by: 'initial', configuration: configuration(knobs), ...nothing, ...more };
}

function failures(counts: Readonly<Record<string, Knobs>>): EventData['SummaryRecorded'] {
  const facts = Object.entries(counts).flatMap(([family, classes]) =>
    Object.entries(classes).map(([about, count]) => ({
      evidenceId: `${family}.${about}`,
      family,
      measure: 'failures',
      about,
      value: count / 10,
      count,
      of: 10,
    })),
  );
  return { module: 'failures', splits: ['probe'], facts, exemplars: [], text: null };
}

/** An engineer makes `big` harder; the valid counts go from 50 of 100 to `big` and from 50 to `small`. */
function begun(id: string, name: string, [big, small]: readonly [number, number]): History {
  const run = new History(id);
  run.add('RunStarted', null, { name, environment: { name: 'maze' }, descriptor: descriptor(families) });
  run.add('ConfigAdopted', 1, adopted(even));
  run.add('StageStarted', 1, { configuration: configuration(even) });
  run.add('TrainingRecorded', 1, {
    learningSignal: [
      { family: 'small', sampleGroups: 10, withVariance: 5, share: 0.5 },
      { family: 'big', sampleGroups: 30, withVariance: 3, share: 0.1 },
    ],
  });
  run.add('SummaryRecorded', 2, failures({ small: { slip: 3, fall: 5 }, big: { slip: 9 } }));
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 50, big: 50 }));
  run.add('StageCompleted', 1, {});
  const engineer = { name: 'gpt', model: 'gpt-5.4' };
  const said = { changes: [], clamps: [], kept: null, rationale: null };
  const proposal = run.add('ProposalRecorded', 2, {
    engineer,
    context: null,
    configuration: configuration(harder),
    ...said,
    predictions: null,
    scores: { citation: name === 'parent' ? 1 : 0.5 },
    cost: { currency: 'USD', total: 0.25 },
    usage: { input: 10, output: 1 },
  });
  run.add('ProposalRejected', 2, { engineer, context: null, reason: 'empty', issues: [], raw: null });
  run.add('ConfigAdopted', 2, adopted(harder, { by: 'engineer', proposal }));
  run.add('StageStarted', 2, {});
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small, big }));
  return run;
}

/** Changes the one knob of all families. */
function fork(): History {
  const run = new History('fork00000000', Date.UTC(2026, 6, 2));
  run.add('RunStarted', null, { name: 'fork', environment: { name: 'maze' }, parent });
  run.add('ConfigAdopted', 2, adopted({ ...even, players: 3, 'big.data': 3 }, { by: 'human' }), {
    actor: 'human/ada',
  });
  run.add('StageStarted', 2, {});
  const { results, ...validation } = evaluation('validation', 'validation', { small: 60, big: 60 }, { pooled: false });
  const failed = [{ family: 'big', class: 'fall', count: 40 }];
  run.add('EvaluationRecorded', 2, { ...validation, results, failures: failed });
  return run;
}

/** Without a descriptor, although some of its knobs sum to one; nothing was measured. */
function bare(): History {
  const run = new History('bare00000000');
  run.add('StageStarted', 1, { configuration: configuration({ 'a.data': 0.25, 'b.data': 0.75, 'a.other': 1 }) });
  return run;
}

describe('the curriculum', () => {
  it('has the configuration of each family and its results', async () => {
    const columns = "stage, family, position, share, knobs['level'] AS level, changed, valid_before, valid, gain";
    expect(await ask(`SELECT ${columns} FROM curriculum WHERE run = 'parent' ORDER BY stage, position`)).toEqual([
      {
        stage: 1,
        family: 'small',
        position: 1,
        share: 0.5,
        level: 0.1,
        changed: [],
        valid_before: null,
        valid: 0.5,
        gain: null,
      },
      {
        stage: 1,
        family: 'big',
        position: 2,
        share: 0.5,
        level: 0.1,
        changed: [],
        valid_before: null,
        valid: 0.5,
        gain: null,
      },
      {
        stage: 1,
        family: null,
        position: null,
        share: null,
        level: null,
        changed: [],
        valid_before: null,
        valid: 0.5,
        gain: null,
      },
      {
        stage: 2,
        family: 'small',
        position: 1,
        share: 0.5,
        level: 0.1,
        changed: [],
        valid_before: 0.5,
        valid: 0.7,
        gain: close(0.2),
      },
      {
        stage: 2,
        family: 'big',
        position: 2,
        share: 0.5,
        level: 0.2,
        changed: ['level'],
        valid_before: 0.5,
        valid: 0.3,
        gain: close(-0.2),
      },
      {
        stage: 2,
        family: null,
        position: null,
        share: null,
        level: null,
        changed: [],
        valid_before: 0.5,
        valid: 0.5,
        gain: 0,
      },
    ]);
  });

  it('has the whole history of a fork, with the run that recorded each stage', async () => {
    const columns =
      "stage, family, share, knobs['players'] AS players, changed, valid_before, valid, recorded_by, completed";
    expect(await ask(`SELECT ${columns} FROM curriculum WHERE run = 'fork' ORDER BY stage, position`)).toEqual([
      fromParent({ family: 'small', share: 0.5 }),
      fromParent({ family: 'big', share: 0.5 }),
      fromParent({ family: null, share: null, players: 2 }),
      own({ family: 'small', share: 0.25, changed: [] }),
      own({ family: 'big', share: 0.75, changed: ['data'] }),
      own({ family: null, share: null, players: 3, changed: ['players'] }),
    ]);
  });

  it('has the learning signal, and the most frequent failures', async () => {
    const columns = 'run, stage, family, learning_signal, failure_class, failures, failed_in';
    expect(await ask(`SELECT ${columns} FROM curriculum WHERE run = 'fork' ORDER BY stage, position`)).toEqual([
      failed(1, 'small', 0.5, 'fall', 5),
      failed(1, 'big', 0.1, 'slip', 9),
      failed(1, null, 0.2, 'slip', 12),
      { ...failed(2, 'small', null, null, null), failed_in: null },
      { ...failed(2, 'big', null, 'fall', 40), failed_in: 'suite validation' },
      { ...failed(2, null, null, 'fall', 40), failed_in: 'suite validation' },
    ]);
  });

  it('has no shares without a descriptor, although knobs sum to one', async () => {
    expect(
      await ask("SELECT family, share, valid FROM curriculum WHERE run = 'bare00000000' ORDER BY family NULLS LAST"),
    ).toEqual([
      { family: 'a', share: null, valid: null },
      { family: 'b', share: null, valid: null },
      { family: null, share: null, valid: null },
    ]);
  });
});

function close(value: number): unknown {
  return expect.closeTo(value, 12);
}

function fromParent(more: object) {
  return {
    stage: 1,
    players: null,
    changed: [],
    valid_before: null,
    valid: 0.5,
    recorded_by: 'parent',
    completed: true,
    ...more,
  };
}

function own(more: object) {
  return { stage: 2, players: null, valid_before: 0.5, valid: 0.6, recorded_by: 'fork', completed: false, ...more };
}

function failed(
  stage: number,
  family: string | null,
  learning_signal: number | null,
  failure_class: string | null,
  failures: number | null,
) {
  return { run: 'fork', stage, family, learning_signal, failure_class, failures, failed_in: 'probe' };
}

describe('the effects of knobs', () => {
  it('are compared with families that were left unchanged', async () => {
    const columns =
      'family, changes, changed_alone, mean_steps, mean_gain, gain_low, gain_high, comparisons, difference, runs, harder';
    const effect = {
      changes: 2,
      changed_alone: 2,
      mean_steps: 1,
      // -0.2 and -0.3: the mean, and 12.706 standard errors of 0.05 around it.
      mean_gain: close(-0.25),
      gain_low: expect.closeTo(-0.8853102, 6),
      gain_high: expect.closeTo(0.3853102, 6),
      comparisons: 2,
      // Minus the changes of the small ones: 0.2 and 0.
      difference: close(-0.35),
      runs: 2,
      harder: 'more',
    };
    expect(await ask(`SELECT ${columns} FROM knob_effects WHERE short_name = 'level' ORDER BY family`)).toEqual([
      { family: 'big', ...effect },
      { family: null, ...effect },
    ]);
  });

  it('have intervals over runs, because changes of one run are not independent', async () => {
    const twice = (id: string, name: string, later: number) => {
      const run = begun(id, name, [30, 70]);
      run.add('StageCompleted', 2, {});
      run.add('ConfigAdopted', 3, adopted({ ...even, 'big.level': 0.3 }, { by: 'human' }), { actor: 'human/ada' });
      run.add('StageStarted', 3, {});
      run.add('EvaluationRecorded', 3, evaluation('validation', 'validation', { small: 70, big: later }));
      return run;
    };
    const columns = 'changes, runs, mean_gain, gain_low, difference, difference_low';
    const asked = `SELECT ${columns} FROM knob_effects WHERE short_name = 'level' AND family IS NULL`;
    const alone = await tablesOf([twice('one000000000', 'one', 40)]);
    // -0.2 and 0.1; the small ones moved by 0.2 and 0.
    const single = { mean_gain: close(-0.05), gain_low: null, difference: close(-0.15), difference_low: null };
    expect(await alone(asked)).toEqual([{ changes: 2, runs: 1, ...single }]);
    const both = await tablesOf([twice('one000000000', 'one', 40), twice('other0000000', 'other', 60)]);
    // The sums of the runs are -0.1 and 0.1, around 0.
    expect(await both(asked)).toEqual([
      {
        ...{ changes: 4, runs: 2, mean_gain: close(0), gain_low: expect.closeTo(-12.706205 * 0.05, 6) },
        ...{ difference: close(-0.1), difference_low: expect.closeTo(-0.1 - 12.706205 * 0.05, 6) },
      },
    ]);
  });

  it('count a run and its forks as one history, which has no interval', async () => {
    const forked = (id: string, name: string, big: number): History => {
      const run = new History(id, Date.UTC(2026, 6, 2));
      run.add('RunStarted', null, { name, environment: { name: 'maze' }, parent });
      run.add('ConfigAdopted', 2, adopted(harder, { by: 'human' }), { actor: 'human/ada' });
      run.add('StageStarted', 2, {});
      run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 60, big }));
      return run;
    };
    const forks = [forked('fork00000001', 'fork-1', 32), forked('fork00000002', 'fork-2', 34)];
    const tables = await tablesOf([begun('parent000000', 'parent', [30, 70]), ...forks]);
    const columns = 'changes, runs, histories, mean_gain, gain_low, difference_low';
    expect(await tables(`SELECT ${columns} FROM knob_effects WHERE short_name = 'level' AND family IS NULL`)).toEqual([
      { changes: 3, runs: 3, histories: 1, mean_gain: close(-0.18), gain_low: null, difference_low: null },
    ]);
  });

  it('of a knob of all families have no comparison', async () => {
    const columns = 'short_name, family, direction, changes, changed_alone, gain_low, comparisons, difference';
    expect(
      await ask(`SELECT ${columns} FROM knob_effects WHERE short_name <> 'level' ORDER BY short_name, family`),
    ).toEqual([
      {
        short_name: 'data',
        family: 'big',
        direction: 'up',
        changes: 1,
        changed_alone: 1,
        gain_low: null,
        comparisons: 0,
        difference: null,
      },
      {
        short_name: 'data',
        family: null,
        direction: 'up',
        changes: 1,
        changed_alone: 1,
        gain_low: null,
        comparisons: 0,
        difference: null,
      },
      {
        short_name: 'players',
        family: null,
        direction: 'up',
        changes: 1,
        changed_alone: 1,
        gain_low: null,
        comparisons: 0,
        difference: null,
      },
    ]);
  });
});

describe('the scorecard of engineers', () => {
  it('counts proposals, and the gains of the adopted ones', async () => {
    expect(await ask('SELECT * FROM engineer_scorecard')).toEqual([
      {
        environment: 'maze',
        engineer: 'gpt',
        model: 'gpt-5.4',
        context_form: null,
        proposals: 4,
        rejected: 2,
        errored: 0,
        adopted: 2,
        in_ablations: 0,
        clamps: 0,
        citation: 0.75,
        preservation: null,
        usable: null,
        brier: null,
        rank_correlation: null,
        gains: 2,
        gain_runs: 2,
        gain_histories: 2,
        // From 50 % to 50 %, and to 35 %.
        mean_gain: close(-0.075),
        gain_spread: close(Math.sqrt(0.01125)),
        gain_low: expect.closeTo(-0.075 - 12.706205 * 0.075, 6),
        gain_high: expect.closeTo(-0.075 + 12.706205 * 0.075, 6),
        cost: 0.5,
        currency: 'USD',
        input_tokens: 20,
        output_tokens: 2,
        runs: 2,
      },
    ]);
  });

  it('counts a rejected proposal as 0 in the share of usable ones, as ablations do', async () => {
    const run = new History('asked0000000');
    run.add('RunStarted', null, { name: 'asked', environment: { name: 'maze' } });
    const refused = { context: null, reason: 'refused', issues: [], raw: null } as const;
    const said = { changes: [], clamps: [], kept: null, rationale: null, predictions: null, context: null };
    const answer = { ...said, configuration: configuration(even) };
    for (const name of ['never', 'half', 'unscored'])
      run.add('ProposalRejected', 2, { ...refused, engineer: { name } });
    run.add('ProposalRecorded', 2, { ...answer, engineer: { name: 'half' }, scores: { usable: 1 } });
    run.add('ProposalRecorded', 2, { ...answer, engineer: { name: 'unscored' } });
    const tables = await tablesOf([run]);
    expect(await tables('SELECT engineer, usable FROM engineer_scorecard ORDER BY engineer')).toEqual([
      { engineer: 'half', usable: 0.5 },
      { engineer: 'never', usable: 0 },
      { engineer: 'unscored', usable: null },
    ]);
  });

  it('counts once what the run of an arm was asked, which its ablation repeats', async () => {
    const armRun = 'armrun000000';
    const run = new History(armRun);
    const arm = { ablation: 'abl000000000', arm: 'gpt/stats' };
    run.add('RunStarted', null, { name: 'forms-gpt', environment: { name: 'maze' }, parent, arm });
    const said = { changes: [], clamps: [], kept: null, rationale: null, predictions: null, context: null };
    const cost = { currency: 'USD', total: 2 };
    const answer = { ...said, engineer: { name: 'gpt' }, configuration: configuration(even), cost };
    run.add('ProposalRecorded', 2, answer);
    const ablation = new History('parent000000', Date.UTC(2026, 7, 1));
    const stream = 'ablation-abl000000000';
    ablation.add('ArmProposed', 2, { ...answer, arm: 'gpt/stats', unit: 'seed 1', armRun }, { stream });
    ablation.add('ArmProposed', 2, { ...answer, arm: 'gpt/none', unit: 'seed 1' }, { stream });
    const tables = await tablesOf([begun('parent000000', 'parent', [30, 70]), run, ablation]);
    const columns = 'proposals, in_ablations, cost, runs';
    expect(await tables(`SELECT ${columns} FROM engineer_scorecard WHERE model IS NULL`)).toEqual([
      { proposals: 2, in_ablations: 2, cost: 4, runs: 2 },
    ]);
    expect(await tables('SELECT run, arm, arm_run FROM proposals WHERE model IS NULL ORDER BY arm, run')).toEqual([
      { run: 'parent', arm: 'gpt/none', arm_run: null },
      { run: 'parent', arm: 'gpt/stats', arm_run: armRun },
      { run: 'forms-gpt', arm: null, arm_run: null },
    ]);
  });

  it('counts a run and its forks once, which go on from the same results', async () => {
    const said = { changes: [], clamps: [], kept: null, rationale: null };
    const answer = { context: null, configuration: configuration(even), ...said, predictions: null };
    const forked = (id: string, big: number): History => {
      const run = new History(id, Date.UTC(2026, 6, 2));
      run.add('RunStarted', null, { name: id, environment: { name: 'maze' }, parent });
      const proposal = run.add('ProposalRecorded', 2, { engineer: { name: 'gpt', model: 'gpt-5.4' }, ...answer });
      run.add('ConfigAdopted', 2, adopted(even, { by: 'engineer', proposal }));
      run.add('StageStarted', 2, {});
      run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: big, big }));
      return run;
    };
    const parentRun = begun('parent000000', 'parent', [30, 70]);
    const tables = await tablesOf([parentRun, forked('fork00000001', 60), forked('fork00000002', 70)]);
    const columns = 'gains, gain_runs, gain_histories, mean_gain, gain_low';
    expect(await tables(`SELECT ${columns} FROM engineer_scorecard`)).toEqual([
      { gains: 3, gain_runs: 3, gain_histories: 1, mean_gain: close(0.1), gain_low: null },
    ]);
  });

  it('counts each run once, because its stages are not independent', async () => {
    const run = begun('twice0000000', 'twice', [30, 70]);
    run.add('StageCompleted', 2, {});
    const said = { changes: [], clamps: [], kept: null, rationale: null };
    const answer = { context: null, configuration: configuration(even), ...said, predictions: null };
    const proposal = run.add('ProposalRecorded', 3, { engineer: { name: 'gpt', model: 'gpt-5.4' }, ...answer });
    run.add('ConfigAdopted', 3, adopted(even, { by: 'engineer', proposal }));
    run.add('StageStarted', 3, {});
    run.add('EvaluationRecorded', 3, evaluation('validation', 'validation', { small: 90, big: 90 }));
    const columns = 'gains, gain_runs, mean_gain, gain_low';
    const alone = await tablesOf([run]);
    expect(await alone(`SELECT ${columns} FROM engineer_scorecard`)).toEqual([
      // From 50 % to 50 %, and on to 90 %.
      { gains: 2, gain_runs: 1, mean_gain: close(0.2), gain_low: null },
    ]);
    const beside = await tablesOf([run, begun('other0000000', 'other', [20, 50])]);
    expect(await beside(`SELECT ${columns} FROM engineer_scorecard`)).toEqual([
      {
        gains: 3,
        gain_runs: 2,
        mean_gain: close((0.2 - 0.15) / 2),
        gain_low: expect.closeTo(0.025 - 12.706205 * 0.175, 6),
      },
    ]);
  });
});
