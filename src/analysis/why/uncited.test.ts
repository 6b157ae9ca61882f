import { expect, it } from 'vitest';
import type { Why } from '../../../schemas/why-output.ts';
import { whyAnswer } from './answer.ts';
import { type EvidenceRun, evidenceId, shownRun, summariesOf } from './testing/evidence-run.ts';
import { explain, only } from './testing/telling.ts';

const rates = summariesOf(4).slice(0, 1);

async function uncitedIn(shown: EvidenceRun, evidence = true): Promise<Why['uncited']> {
  return (await explain(shownRun({ isSealed: true, ...shown }), { evidence, findsUncited: true })).uncited;
}

it('a change whose evidence leads to a shown rollout has no other one', async () => {
  expect(await uncitedIn({})).toBe(null);
});

it('a change that cites nothing comes with a failed rollout of its family that the engineer was shown', async () => {
  expect(await uncitedIn({ change: { cites: null, reason: null } })).toMatchObject({
    ...{ evidenceId: 'F1', wasShown: true, family: '8', drawn: 'recorded' },
    rollout: { event: evidenceId(1) },
  });
});

it('a change without a shown rollout comes with the first failed probe of its family in the sealed evidence', async () => {
  const uncited = await uncitedIn({ summaries: rates, change: { cites: ['B8.valid'] } });
  expect(uncited).toMatchObject({
    ...{ evidenceId: null, wasShown: false, family: '8', class: 'hole', stage: 1, split: 'probe', drawn: 'again' },
    rollout: { event: evidenceId(1), stream: 'evidence-shown-run-1-0-0', revision: 0 },
    failures: [{ class: 'hole', step: 2, says: 'fell in' }],
  });
});

it('without a recorded context it is unknown whether the failed rollout was shown', async () => {
  const uncited = await uncitedIn({ isRecorded: false });
  expect(uncited).toMatchObject({ evidenceId: null, wasShown: null, rollout: { event: evidenceId(1) } });
});

it('a change comes with no failed rollout if the evidence is not sealed or missing', async () => {
  const shown = { summaries: rates, change: { cites: ['B8.valid'] } };
  expect(await uncitedIn({ ...shown, isSealed: false })).toBe(null);
  expect(await uncitedIn(shown, false)).toBe(null);
});

/** Family 8 has failures of two classes, and only one of the class that is not cited was shown. */
const onlyOtherShown = summariesOf(4).map((summary) => ({
  ...summary,
  exemplars: summary.exemplars
    .filter(({ evidenceId: id }) => id === 'F1')
    .map((one) => ({ ...one, rollout: evidenceId(3), failure: evidenceId(4), class: 'off-grid' })),
}));

it('a cited failure class comes with a failed rollout of that class, even if only another class was shown', async () => {
  const shown = { isSealed: true, summaries: onlyOtherShown, change: { cites: ['FC8.hole', 'B8.valid'] } };
  const why = await explain(shownRun(shown), { findsUncited: true, knob: '8.hole' });
  expect(why.uncited).toMatchObject({
    ...{ behind: 'FC8.hole', evidenceId: null, wasShown: false, family: '8', class: 'hole' },
    rollout: { event: evidenceId(1) },
  });
  const { blocks } = only(whyAnswer(why).sections);
  expect(JSON.stringify(blocks)).toContain(
    'A failed rollout counted in FC8.hole, itself not shown to the engineer: family 8, stage 1, hole in step 2',
  );
});

it('a shown rollout of the cited failure class is drawn rather than one of another cited figure', async () => {
  const [rate, failures] = summariesOf(4) as [(typeof rates)[number], (typeof rates)[number]];
  const [hole] = failures.exemplars as [(typeof failures.exemplars)[number]];
  const offGrid = { ...hole, evidenceId: 'F0', rollout: evidenceId(3), failure: evidenceId(4), class: 'off-grid' };
  const summaries = [rate, { ...failures, exemplars: [{ ...offGrid, drawing: 'x' }, hole] }];
  const change = { cites: ['B8.valid', 'FC8.hole'] };
  const why = await explain(shownRun({ isSealed: true, summaries, change }), { findsUncited: true, knob: '8.hole' });
  expect(why.uncited).toBe(null);
  expect(JSON.stringify(whyAnswer(why).sections)).toContain(
    'A failed rollout behind FC8.hole, example 1 of the context: family 8',
  );
});
