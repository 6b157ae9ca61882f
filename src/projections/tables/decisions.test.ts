import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import {
  type Ask,
  configuration,
  descriptor,
  evaluation,
  familyOf,
  History,
  type Knobs,
  tablesOf,
} from '../testing/history.ts';

type Adopted = EventData['ConfigAdopted'];
type Change = Adopted['changes'][number];

const digest = 'd'.repeat(64);
const first = { 'small.data': 0.5, 'small.level': 0.1, 'big.data': 0.5, 'big.level': 0.3, players: 2 };
const second = { 'small.data': 0.4, 'small.level': 0.2, 'big.data': 0.6, 'big.level': 0.2, players: 3 };

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([
    deciding(),
    fork(),
    heir('heir00000000', []),
    heir('heretic00000', [4]),
    imported(),
    ablation(),
  ]);
});

function changeOf(
  knob: string,
  from: number,
  to: number,
  cites: readonly string[] | null,
  reason: string | null,
): Change {
  return { knob, family: familyOf(knob), from, to, cites: cites === null ? null : [...cites], reason };
}

const changes = [
  changeOf('big.level', 0.3, 0.2, ['F.big'], 'Too hard.'),
  changeOf('small.data', 0.5, 0.4, ['F.all'], null),
  changeOf('big.data', 0.5, 0.6, ['F.none'], null),
  changeOf('small.level', 0.1, 0.2, ['F.big', 'F.none'], null),
  changeOf('players', 2, 3, null, null),
];

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

function probe(small: number, big: number): EventData['SummaryRecorded'] {
  const rates = Object.entries({ small, big }).map(([family, count]) => ({
    evidenceId: `B.${family}`,
    family,
    measure: 'valid',
    value: count / 10,
    count,
    of: 10,
    low: count / 20,
    high: count / 10 + 0.2,
  }));
  return { module: 'behaviour', facts: rates, exemplars: [], text: null };
}

const engineer = { name: 'gpt', model: 'gpt-5.4' };

/** Stage 1, a rejected and an adopted proposal, stage 2, a rejected one, stage 3 on the same, and two decisions for stage 4. */
function deciding(): History {
  const run = new History('deciding0000');
  run.add('RunStarted', null, {
    name: 'deciding',
    environment: { name: 'maze' },
    descriptor: descriptor(['small', 'big']),
  });
  run.add('ConfigAdopted', 1, adopted(first));
  run.add('StageStarted', 1, { configuration: configuration(first) });
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 50, big: 10 }));
  run.add('EvaluationRecorded', 1, evaluation('probe-holdout', 'probe-holdout', { small: 40, big: 20 }));
  run.add('SummaryRecorded', 2, probe(5, 1));
  run.add('StageCompleted', 1, {});
  const evidence = (family: string | null) => ({ module: 'failures', events: [], family });
  const shown = run.add('ContextRecorded', 2, {
    contextForm: { name: 'abstract', modules: ['failures'] },
    digest,
    text: { text: '' },
    history: [],
    evidenceIds: { 'F.big': evidence('big'), 'F.all': evidence(null) },
    tokenizer: 'words',
    tokens: 1,
    budget: 0,
    truncated: [],
  });
  const context = { digest, event: shown, contextForm: 'abstract' };
  run.add('ProposalRejected', 2, {
    engineer,
    context,
    reason: 'invalid',
    issues: [{ field: 'big.data', found: '"much"', allowed: 'a number' }],
    raw: { text: 'much' },
    usage: { input: 100, output: 3 },
    cost: { currency: 'USD', total: 0.5 },
  });
  const clamps: Adopted['clamps'] = [{ knob: 'big.level', family: 'big', proposed: 0.05, used: 0.2, rule: 'step' }];
  const said = { changes, clamps, kept: null, rationale: 'Easier.' };
  const proposal = run.add('ProposalRecorded', 2, {
    engineer,
    context,
    configuration: configuration(second),
    ...said,
    predictions: [
      { family: 'small', measure: 'valid', value: 0.45 },
      { family: 'big', measure: 'valid', value: 0.9 },
      { family: 'huge', measure: 'valid', value: 0.1 },
    ],
    scores: {
      citation: 0.75,
      preservation: { value: null, reason: 'no family works' },
      usable: 0,
      calibration: { brier: 0.25, rankCorrelation: 1 },
    },
    usage: { input: 120, output: 30 },
    cost: { currency: 'USD', total: 1 },
  });
  run.add('ConfigAdopted', 2, adopted(second, { by: 'engineer', proposal, context, ...said }));
  run.add('StageStarted', 2, {});
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 1, big: 1 }));
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 60, big: 30 }));
  run.add('SummaryRecorded', 3, probe(6, 4));
  run.add('StageCompleted', 2, {});
  const refused = { engineer, context: null, reason: 'refused', issues: [], raw: null } as const;
  const rejection = run.add('ProposalRejected', 3, refused);
  run.add('ProposalRejected', 3, { ...refused, engineer: { name: 'later' } });
  const dust = { ...second, 'small.level': 0.2 + 1e-13 };
  run.add('ConfigAdopted', 3, adopted(dust, { by: 'kept' }), { causes: [rejection] });
  run.add('StageStarted', 3, {});
  run.add('ConfigAdopted', 4, adopted(first, { by: 'human' }), { actor: 'human/ada' });
  run.add('ConfigAdopted', 4, adopted({ ...second, players: 4 }, { by: 'human' }), { actor: 'human/bob' });
  return run;
}

/** Goes off after stage 1 of `deciding`, and decides otherwise. */
function fork(): History {
  const run = new History('fork00000000');
  const parent = { run: 'deciding0000', stage: 1, revision: 6, digest };
  run.add('RunStarted', null, { name: 'fork', environment: { name: 'maze' }, parent });
  run.add('ConfigAdopted', 2, adopted({ ...first, 'big.level': 0.1 }, { by: 'human' }), { actor: 'human/ada' });
  run.add('StageStarted', 2, {});
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 55, big: 40 }));
  return run;
}

/** Goes off when stage 2 of `deciding` was decided already: on with that, or with other players. */
function heir(id: string, players: readonly number[]): History {
  const run = new History(id);
  const parent = { run: 'deciding0000', stage: 1, revision: 10, digest };
  run.add('RunStarted', null, { name: id, environment: { name: 'maze' }, parent });
  for (const many of players)
    run.add('ConfigAdopted', 2, adopted({ ...first, players: many }, { by: 'human' }), { actor: 'human/ada' });
  run.add('StageStarted', 2, {});
  return run;
}

/** Of which nobody recorded what it was set to before. */
function imported(): History {
  const run = new History('imported0000');
  run.add('ConfigAdopted', 5, adopted({ hard: 3 }, { by: 'human', changes: [changeOf('hard', 1, 3, ['X'], null)] }));
  return run;
}

function ablation(): History {
  const run = new History('deciding0000', Date.UTC(2026, 7, 1));
  const arm = { arm: 'rules/stats', unit: '7' };
  const at = { stream: streamOf.ablation('a1') };
  run.add(
    'ArmProposed',
    2,
    {
      ...arm,
      engineer: { name: 'rules' },
      context: null,
      configuration: configuration(second),
      changes: [],
      clamps: [],
      kept: [],
      rationale: null,
      predictions: [{ family: 'big', measure: 'valid', value: 0.3 }],
      scores: { citation: 1, usable: 1 },
    },
    at,
  );
  run.add(
    'ArmRejected',
    2,
    {
      ...arm,
      engineer: { name: 'rules' },
      context: null,
      reason: 'empty',
      issues: [],
      raw: null,
    },
    at,
  );
  return run;
}

describe('configurations', () => {
  it('are what a stage began with, or else what was adopted for it last', async () => {
    const rows = await ask(
      `SELECT run, stage, value, began FROM configs WHERE (short_name = 'players' OR knob = 'hard') AND run NOT LIKE 'he%' ORDER BY run, stage`,
    );
    expect(rows).toEqual([
      { run: 'deciding', stage: 1, value: 2, began: true },
      { run: 'deciding', stage: 2, value: 3, began: false },
      { run: 'deciding', stage: 3, value: 3, began: false },
      { run: 'deciding', stage: 4, value: 4, began: false },
      { run: 'fork', stage: 2, value: 2, began: false },
      { run: 'imported0000', stage: 5, value: 3, began: false },
    ]);
  });

  it('of a fork are what its parent decided, until it decides itself', async () => {
    const sql = `SELECT s.run, decided_by, s.engineer, value FROM stages AS s JOIN configs AS c USING (run_id, stage)
      WHERE short_name = 'players' AND s.run LIKE 'he%' ORDER BY s.run`;
    expect(await ask(sql)).toEqual([
      { run: 'heir00000000', decided_by: 'engineer', engineer: 'gpt', value: 3 },
      { run: 'heretic00000', decided_by: 'human', engineer: 'human/ada', value: 4 },
    ]);
  });
});

describe('knobs and families', () => {
  it("are those of the descriptor, for a fork of its parent's", async () => {
    expect(
      await ask(
        "SELECT position, knob, short_name, step, harder, provokes, share_of FROM knobs WHERE run = 'fork' AND position <> 4 ORDER BY position",
      ),
    ).toEqual([
      { position: 1, knob: 'small.data', short_name: 'data', step: 0.05, harder: null, provokes: null, share_of: 1 },
      {
        position: 2,
        knob: 'small.level',
        short_name: 'level',
        step: 0.1,
        harder: 'more',
        provokes: ['slip'],
        share_of: null,
      },
      { position: 3, knob: 'big.data', short_name: 'data', step: 0.05, harder: null, provokes: null, share_of: 1 },
      { position: 5, knob: 'players', short_name: 'players', step: 1, harder: null, provokes: null, share_of: null },
    ]);
    expect(
      await ask("SELECT position, family, meaning, knobs FROM families WHERE run = 'deciding' ORDER BY position"),
    ).toEqual([
      { position: 1, family: 'small', meaning: 'the small ones', knobs: ['small.data', 'small.level'] },
      { position: 2, family: 'big', meaning: 'the big ones', knobs: ['big.data', 'big.level'] },
    ]);
  });
});

describe('decisions', () => {
  it('say who took them, and which of them hold', async () => {
    expect(
      await ask(
        "SELECT run, stage, in_force, decided_by, engineer, changes, clamps FROM decisions WHERE run NOT LIKE 'he%' ORDER BY run, stage, happened_at",
      ),
    ).toEqual([
      { run: 'deciding', stage: 1, in_force: true, decided_by: 'initial', engineer: null, changes: 0, clamps: 0 },
      { run: 'deciding', stage: 2, in_force: true, decided_by: 'engineer', engineer: 'gpt', changes: 5, clamps: 1 },
      {
        run: 'deciding',
        stage: 3,
        in_force: true,
        decided_by: 'kept',
        engineer: 'gpt',
        changes: 0,
        clamps: 0,
      },
      {
        run: 'deciding',
        stage: 4,
        in_force: false,
        decided_by: 'human',
        engineer: 'human/ada',
        changes: 0,
        clamps: 0,
      },
      {
        run: 'deciding',
        stage: 4,
        in_force: true,
        decided_by: 'human',
        engineer: 'human/bob',
        changes: 0,
        clamps: 0,
      },
      { run: 'fork', stage: 2, in_force: true, decided_by: 'human', engineer: 'human/ada', changes: 0, clamps: 0 },
      {
        run: 'imported0000',
        stage: 5,
        in_force: true,
        decided_by: 'human',
        engineer: 'producer/run',
        changes: 1,
        clamps: 0,
      },
    ]);
  });
});

describe('changes of knobs', () => {
  it('tell how far, and on which evidence', async () => {
    const columns = 'knob, from_value, to_value, steps, direction, reason, cites, rests_on, clamped, proposed';
    expect(await ask(`SELECT ${columns} FROM knob_changes WHERE run = 'deciding' AND stage = 2 ORDER BY knob`)).toEqual(
      [
        change('big.data', 0.5, 0.6, 2, ['F.none'], 'unknown'),
        {
          ...change('big.level', 0.3, 0.2, -1, ['F.big'], 'its family'),
          reason: 'Too hard.',
          clamped: true,
          proposed: 0.05,
        },
        change('players', 2, 3, 1, null, 'nothing'),
        change('small.data', 0.5, 0.4, -2, ['F.all'], 'in part'),
        change('small.level', 0.1, 0.2, 1, ['F.big', 'F.none'], 'another family'),
      ],
    );
  });

  it('show what each evidence id refers to', async () => {
    expect(
      await ask(
        "SELECT cited_evidence FROM knob_changes WHERE run = 'deciding' AND stage = 2 AND knob = 'small.level'",
      ),
    ).toEqual([
      {
        cited_evidence: [
          { evidence_id: 'F.big', module: 'failures', family: 'big' },
          { evidence_id: 'F.none', module: null, family: null },
        ],
      },
    ]);
  });

  it('show the rates of their family before and after', async () => {
    const columns = `knob, valid_before, valid_after, gain, probe_before, probe_after, probe_before_low AS low,
      probe_after_high AS high`;
    expect(
      await ask(
        `SELECT ${columns} FROM knob_changes WHERE run = 'deciding' AND stage = 2 AND knob IN ('big.level', 'players') ORDER BY knob`,
      ),
    ).toEqual([
      {
        knob: 'big.level',
        valid_before: 0.1,
        valid_after: 0.3,
        gain: expect.closeTo(0.2, 12),
        probe_before: 0.1,
        probe_after: 0.4,
        low: 0.05,
        high: expect.closeTo(0.6, 12),
      },
      {
        knob: 'players',
        valid_before: 0.3,
        valid_after: 0.45,
        gain: expect.closeTo(0.15, 12),
        probe_before: 0.3,
        probe_after: 0.5,
        low: null,
        high: null,
      },
    ]);
  });

  it('of a fork are compared with the stage of its parent', async () => {
    const columns =
      'stage, knob, from_value, to_value, steps, valid_before, valid_after, probe_before, probe_after, engineer, rests_on';
    expect(await ask(`SELECT ${columns} FROM knob_changes WHERE run = 'fork'`)).toEqual([
      {
        stage: 2,
        knob: 'big.level',
        from_value: 0.3,
        to_value: 0.1,
        steps: -2,
        valid_before: 0.1,
        valid_after: 0.4,
        probe_before: 0.1,
        probe_after: null,
        engineer: 'human/ada',
        rests_on: 'nothing',
      },
    ]);
  });

  it('leave out rounding errors, and follow the decision in force where there are several', async () => {
    expect(
      await ask("SELECT stage, knob, to_value, valid_after FROM knob_changes WHERE run = 'deciding' AND stage > 2"),
    ).toEqual([{ stage: 4, knob: 'players', to_value: 4, valid_after: null }]);
  });

  it('are what the decision says where nobody recorded what was there before', async () => {
    expect(
      await ask(
        "SELECT knob, from_value, to_value, steps, rests_on, valid_before FROM knob_changes WHERE run = 'imported0000'",
      ),
    ).toEqual([{ knob: 'hard', from_value: 1, to_value: 3, steps: null, rests_on: 'no context', valid_before: null }]);
  });
});

function change(
  knob: string,
  from_value: number,
  to_value: number,
  steps: number,
  cites: readonly string[] | null,
  rests_on: string,
) {
  const direction = to_value > from_value ? 'up' : 'down';
  return {
    knob,
    from_value,
    to_value,
    steps,
    direction,
    reason: null,
    cites,
    rests_on,
    clamped: false,
    proposed: null,
  };
}

describe('proposals', () => {
  it('have their outcome, their scores and their cost', async () => {
    const columns =
      'outcome, reason, adopted, engineer, arm, changes, cites, citation, preservation, usable, brier, input_tokens, cost';
    expect(await ask(`SELECT ${columns} FROM proposals WHERE stage = 2 ORDER BY arm, outcome, cost`)).toEqual([
      arm({ outcome: 'accepted', reason: null, changes: 0, cites: [], citation: 1, usable: 1 }),
      arm({ outcome: 'rejected', reason: 'empty', changes: null, cites: null, citation: null, usable: null }),
      {
        outcome: 'accepted',
        reason: null,
        adopted: true,
        engineer: 'gpt',
        arm: null,
        changes: 5,
        cites: ['F.all', 'F.big', 'F.none'],
        citation: 0.75,
        preservation: null,
        usable: 0,
        brier: 0.25,
        input_tokens: 120,
        cost: 1,
      },
      {
        outcome: 'rejected',
        reason: 'invalid',
        adopted: false,
        engineer: 'gpt',
        arm: null,
        changes: null,
        cites: null,
        citation: null,
        preservation: null,
        usable: null,
        brier: null,
        input_tokens: 100,
        cost: 0.5,
      },
    ]);
  });
});

function arm(more: object) {
  return {
    adopted: false,
    engineer: 'rules',
    arm: 'rules/stats',
    preservation: null,
    brier: null,
    input_tokens: null,
    cost: null,
    ...more,
  };
}

describe('predictions', () => {
  it('are compared with the probe-holdout results and with the next validation', async () => {
    const columns = 'engineer, family, predicted, measured, measured_split, within, next, adopted';
    expect(await ask(`SELECT ${columns} FROM predictions ORDER BY engineer, family`)).toEqual([
      {
        engineer: 'gpt',
        family: 'big',
        predicted: 0.9,
        measured: 0.2,
        measured_split: 'probe-holdout',
        within: false,
        next: 0.3,
        adopted: true,
      },
      {
        engineer: 'gpt',
        family: 'huge',
        predicted: 0.1,
        measured: null,
        measured_split: null,
        within: null,
        next: null,
        adopted: true,
      },
      {
        engineer: 'gpt',
        family: 'small',
        predicted: 0.45,
        measured: 0.4,
        measured_split: 'probe-holdout',
        within: true,
        next: 0.6,
        adopted: true,
      },
      {
        engineer: 'rules',
        family: 'big',
        predicted: 0.3,
        measured: 0.2,
        measured_split: 'probe-holdout',
        within: false,
        next: null,
        adopted: false,
      },
    ]);
  });
});
