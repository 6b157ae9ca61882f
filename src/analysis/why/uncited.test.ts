import { expect, it } from 'vitest';
import type { Why } from '../../../schemas/why-output.ts';
import { type EvidenceRun, evidenceId, shownRun, summariesOf } from './testing/evidence-run.ts';
import { explain } from './testing/telling.ts';

const rates = summariesOf(4).slice(0, 1);

async function uncitedIn(shown: EvidenceRun, evidence = true): Promise<Why['uncited']> {
  return (await explain(shownRun({ isSealed: true, ...shown }), { evidence, findsUncited: true })).uncited;
}

it('a change whose evidence leads to a rollout that was shown needs no other', async () => {
  expect(await uncitedIn({})).toBe(null);
});

it('a change that cites nothing comes with a failed rollout of its family that the engineer was shown', async () => {
  expect(await uncitedIn({ change: { cites: null, reason: null } })).toMatchObject({
    ...{ evidenceId: 'F1', wasShown: true, family: '8', drawn: 'recorded' },
    rollout: { event: evidenceId(1) },
  });
});

it('where none was shown, with the first failed probe of its family in the sealed evidence', async () => {
  const uncited = await uncitedIn({ summaries: rates, change: { cites: ['B8.valid'] } });
  expect(uncited).toMatchObject({
    ...{ evidenceId: null, wasShown: false, family: '8', class: 'hole', stage: 1, split: 'probe', drawn: 'again' },
    rollout: { event: evidenceId(1), stream: 'evidence-shown-run-1-0-0', revision: 0 },
    failures: [{ class: 'hole', step: 2, says: 'fell in' }],
  });
});

it('of which nobody knows whether it was shown, where the context is not recorded', async () => {
  const uncited = await uncitedIn({ isRecorded: false });
  expect(uncited).toMatchObject({ evidenceId: null, wasShown: null, rollout: { event: evidenceId(1) } });
});

it('with none, where the evidence is not sealed or not here', async () => {
  const shown = { summaries: rates, change: { cites: ['B8.valid'] } };
  expect(await uncitedIn({ ...shown, isSealed: false })).toBe(null);
  expect(await uncitedIn(shown, false)).toBe(null);
});
