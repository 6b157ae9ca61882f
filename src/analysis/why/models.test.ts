import { expect, it, onTestFinished } from 'vitest';
import { codeOf, versionOf } from '../../../schemas/catalogue.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { addDecision, configurationOf } from '../history/testing/recording.ts';
import { whyDocument } from './document.ts';
import { after, ledgerWith, shownRun } from './testing/evidence-run.ts';
import { explanationFrom, temporaryFolder } from './testing/telling.ts';

const answerId = (key: string): string => eventId({ run: key, stage: 0, kind: codeOf('ModelAnswered'), index: 0 });

async function answer(ledger: Ledger, key: string, reported: string): Promise<void> {
  const event = {
    ...{ id: answerId(key), type: 'ModelAnswered' as const, version: versionOf('ModelAnswered') },
    ...{ at: '2026-07-01T12:00:00.000Z', actor: 'producer/answers', run: null, stage: null, causes: [] },
    data: {
      ...{ key, model: { name: 'gpt-5.4', reported }, parameters: {}, context: sha256('a prompt'), sample: 0 },
      ...{ answer: { text: '{}' }, finishReason: 'stop' },
    },
  };
  await ledger.append(`answer-${key}`, [event], { expect: 'none' });
}

it.each([
  ['another model than was asked', ['gpt-5.4-mini', 'gpt-5.4-mini'], [{ asked: 'gpt-5.4', reported: 'gpt-5.4-mini' }]],
  ['the model that was asked', ['gpt-5.4', 'gpt-5.4'], []],
])('an explanation names the model that answered if it is another one: %s', async (_, reported, otherModels) => {
  const recording = shownRun();
  const keys = reported.map((name, i) => sha256(`${name} ${i}`));
  const context = { digest: 'b'.repeat(64), contextForm: 'combined' };
  const content = { configuration: configurationOf(after), changes: [], kept: null, clamps: [], rationale: null };
  const proposal = recording.add('ProposalRecorded', 2, {
    ...{ engineer: { name: 'gpt', model: 'gpt-5.4' }, context, ...content, predictions: null },
    answers: keys.map((key) => ({ key, event: answerId(key) })),
  });
  addDecision(recording, 2, { knobs: after, by: 'engineer', proposal });
  const ledger = await ledgerWith(temporaryFolder(), recording);
  onTestFinished(() => ledger.close());
  for (const [i, key] of keys.entries()) await answer(ledger, key, reported[i] ?? '');
  const why = await explanationFrom(ledger, recording.run, 3, {});
  expect(why.decision.otherModels).toEqual(otherModels);
  const text = JSON.stringify(whyDocument(why));
  const line = 'the model gpt-5.4 was asked; its endpoint says that gpt-5.4-mini answered';
  expect(text.includes(line)).toBe(otherModels.length === 1);
});
