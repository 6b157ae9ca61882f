// Decision tables are refilled when the version of the read model changes: it must be raised whenever the rows of
// events change.
import { expect, it } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { tableDefinitions } from '../tables/catalogue.ts';
import { configuration, descriptor, evaluation, History, tablesOf } from '../testing/history.ts';
import { modelVersion } from './rows.ts';

const nothing = { context: null, changes: [], kept: null, clamps: [], rationale: null };
const families = ['small', 'large'];
const first = configuration({ 'small.data': 0.5, 'large.data': 0.5, 'large.level': 0.1 });
const second = configuration({ 'small.data': 0.4, 'large.data': 0.6, 'large.level': 0.3 });
const engineer = { name: 'gpt', model: 'gpt-5' };

function parent(): History {
  const run = new History('parent000000');
  run.add('RunStarted', null, {
    name: 'parent',
    environment: { name: 'maze' },
    descriptor: descriptor(families),
    engineer,
  });
  run.add('ConfigAdopted', 1, { by: 'initial', proposal: null, configuration: first, previous: null, ...nothing });
  run.add('StageStarted', 1, { configuration: first });
  const signal = { family: 'small', sampleGroups: 10, withVariance: 4, share: 0.4 };
  const alert = { kind: 'forgetting', family: 'small', measure: 'valid', before: 0.5, now: 0.2 } as const;
  run.add('TrainingRecorded', 1, { learningSignal: [signal], spent: { 'agent-steps': 100 }, alerts: [alert] });
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 20, large: 40 }));
  const fact = { evidenceId: 'B8.valid', family: 'large', measure: 'valid', value: 0.4 };
  run.add('SummaryRecorded', 2, { module: 'behaviour', facts: [fact], exemplars: [], text: null });
  const shown = { module: 'behaviour', events: [], family: 'large' };
  const digest = 'c'.repeat(64);
  const context = run.add('ContextRecorded', 2, {
    ...{ contextForm: { modules: ['behaviour'] }, digest, text: { text: 'Large ones fail.' }, history: [] },
    ...{ evidenceIds: { 'B8.valid': shown }, tokenizer: 'o200k', tokens: 5, budget: 100, truncated: [] },
  });
  const change = { knob: 'large.level', family: 'large', from: 0.1, to: 0.3, cites: ['B8.valid'], reason: 'So.' };
  const answer = { ...nothing, context: { digest, event: context }, configuration: second, changes: [change] };
  const proposal = run.add('ProposalRecorded', 2, {
    ...{ engineer, ...answer, predictions: [{ family: 'large', measure: 'valid', value: 0.5 }] },
  });
  run.add('ConfigAdopted', 2, { by: 'engineer', proposal, previous: first.digest, ...answer });
  run.add('StageCompleted', 1, {});
  return run;
}

function fork(): History {
  const run = new History('fork00000000');
  const of = { run: 'parent000000', stage: 1, revision: 9, digest: 'd'.repeat(64) };
  run.add('RunStarted', null, { name: 'fork', environment: { name: 'maze' }, parent: of });
  run.add('StageStarted', 2, { configuration: second });
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 30, large: 70 }));
  run.add('RunFailed', 2, { reason: 'interrupted', message: 'Ctrl-C', resumable: true });
  return run;
}

/** If this differs, raise modelVersion and write the new digest here. */
const rows = { version: 4, digest: 'e41adb2b7f0ede03' };

it('the rows of a history match this version of the model', async () => {
  const ask = await tablesOf([parent(), fork()]);
  const tables = tableDefinitions().flatMap(({ modelled }) => modelled);
  const found = [];
  for (const table of tables) found.push([table, await ask(`FROM log.${table} ORDER BY ALL`)]);
  expect({ version: modelVersion, digest: sha256(JSON.stringify(found)).slice(0, 16) }).toEqual(rows);
});
