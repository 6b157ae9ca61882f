import { expect, it, onTestFinished } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { findRun } from '../../ledger/runs.ts';
import { readRun } from '../../producers/history/reading.ts';
import { ledgerWith } from '../why/testing/evidence-run.ts';
import { temporaryFolder } from '../why/testing/telling.ts';
import { runDocument } from './run-document.ts';
import { runShown } from './runs.ts';
import { configurationOf, evenly, type Recording, sizes, wholeRun } from './testing/recording.ts';

type Answered = Pick<EventData['ProposalRecorded'], 'answers' | 'cost'>;

const answers = (name: string): Answered['answers'] => [{ key: sha256(name) }];
const dollars = (total: number): Answered['cost'] => ({ currency: 'USD', total });

async function shownWith(recording: Recording) {
  const ledger = await ledgerWith(temporaryFolder(), recording, false);
  onTestFinished(() => ledger.close());
  return await runShown(ledger, await readRun(ledger, await findRun(ledger, recording.run)));
}

function propose(recording: Recording, answered: Answered): void {
  recording.add('ProposalRecorded', 2, {
    ...{ engineer: { name: 'gpt' }, context: null, configuration: configurationOf(evenly(sizes)), changes: [] },
    ...{ kept: null, clamps: [], rationale: null, predictions: null, ...answered },
  });
}

it.each<[string, readonly Answered[], object, string | null]>([
  ['nothing if no model was asked', [], { cost: {}, decisions: 0, unknown: 0 }, null],
  [
    'the sum, with what several decisions share once',
    [
      { answers: answers('a'), cost: dollars(0.5) },
      { answers: answers('b'), cost: dollars(0.25) },
      { answers: answers('b'), cost: dollars(0.25) },
    ],
    { cost: { USD: 0.75 }, decisions: 2, unknown: 0 },
    '0.75 USD for 2 decisions of models',
  ],
  [
    'how many are unknown beside those that are known',
    [{ answers: answers('a'), cost: dollars(0.5) }, { answers: answers('b') }],
    { cost: { USD: 0.5 }, decisions: 2, unknown: 1 },
    '0.50 USD for 1 decision of models; that of 1 more decision is unknown',
  ],
  [
    'that all are unknown',
    [{ answers: answers('a') }],
    { cost: {}, decisions: 1, unknown: 1 },
    'unknown, for 1 decision of models',
  ],
])('a run shows what its models cost: %s', async (_, proposals, modelCosts, text) => {
  const recording = wholeRun();
  for (const one of proposals) propose(recording, one);
  const shown = await shownWith(recording);
  expect(shown.modelCosts).toEqual(modelCosts);
  const row = /\["cost of models","([^"]*)"\]/.exec(JSON.stringify(runDocument(shown, '')))?.[1] ?? null;
  expect(row).toBe(text);
});
