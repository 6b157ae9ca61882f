// Runs with decisions: with proposals, rejections and decisions of people, forks of them, an imported one, and an
// ablation.
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Ask, configuration, descriptor, evaluation, familyOf, History, type Knobs, tablesOf } from './history.ts';

type Adopted = EventData['ConfigAdopted'];
type Change = Adopted['changes'][number];

const digest = 'd'.repeat(64);
const first = { 'small.data': 0.5, 'small.level': 0.1, 'big.data': 0.5, 'big.level': 0.3, players: 2 };
const second = { 'small.data': 0.4, 'small.level': 0.2, 'big.data': 0.6, 'big.level': 0.2, players: 3 };

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

/**
 * Stage 1, a rejected and an adopted proposal, stage 2, a rejected one, stage 3 on the same configuration, and two
 * decisions for stage 4.
 */
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
    contextForm: { name: 'combined', modules: ['failures'] },
    digest,
    text: { text: '' },
    history: [],
    evidenceIds: { 'F.big': evidence('big'), 'F.all': evidence(null) },
    tokenizer: 'words',
    tokens: 1,
    budget: 0,
    truncated: [],
  });
  const context = { digest, event: shown, contextForm: 'combined' };
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
    answers: [{ key: digest }],
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

/** Forked after stage 1 of `deciding`, with another decision. */
function fork(): History {
  const run = new History('fork00000000');
  const parent = { run: 'deciding0000', stage: 1, revision: 6, digest };
  run.add('RunStarted', null, { name: 'fork', environment: { name: 'maze' }, parent });
  run.add('ConfigAdopted', 2, adopted({ ...first, 'big.level': 0.1 }, { by: 'human' }), { actor: 'human/ada' });
  run.add('StageStarted', 2, {});
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 55, big: 40 }));
  return run;
}

/** Forked when stage 2 of `deciding` was already decided: continues with that, or with other players. */
function heir(id: string, players: readonly number[]): History {
  const run = new History(id);
  const parent = { run: 'deciding0000', stage: 1, revision: 10, digest };
  run.add('RunStarted', null, { name: id, environment: { name: 'maze' }, parent });
  for (const many of players)
    run.add('ConfigAdopted', 2, adopted({ ...first, players: many }, { by: 'human' }), { actor: 'human/ada' });
  run.add('StageStarted', 2, {});
  return run;
}

/** Without a recorded previous configuration. */
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

/** Tables of them all. */
export async function decidedTables(): Promise<Ask> {
  return await tablesOf([
    deciding(),
    fork(),
    heir('heir00000000', []),
    heir('heretic00000', [4]),
    imported(),
    ablation(),
  ]);
}
