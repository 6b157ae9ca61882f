import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import type { Why } from '../../../schemas/why-output.ts';
import {
  addDecision,
  addStage,
  configurationOf,
  evaluation,
  evenly,
  Recording,
  sizes,
  wholeRun,
} from '../history/testing/recording.ts';
import { after, before, ledgerWith, shownRun } from './testing/evidence-run.ts';
import { explain, explanationFrom, only, temporaryFolder } from './testing/telling.ts';

describe('the knobs of an explanation', () => {
  const asked = async (knob: string, stage?: number): Promise<Why> =>
    await explain(shownRun(), { knob, ...(stage === undefined ? {} : { stage }) });

  it('are selected by the name of a knob or of a family', async () => {
    expect((await asked('8.hole')).changes.map(({ knob }) => knob)).toEqual(['8.hole']);
    const family = await asked('8');
    expect(family.changes.map(({ knob }) => knob)).toEqual(['8.hole']);
    expect(family.unchanged.map(({ knob }) => knob)).toEqual(['8.data']);
    expect(family.effects.map((one) => one.family)).toEqual([null, '8']);
  });

  it('that did not change have their last and next change', async () => {
    expect((await asked('4.hole')).unchanged).toEqual([
      { knob: '4.hole', family: '4', value: 0.1, last: null, next: null },
    ]);
    const recording = shownRun();
    addDecision(recording, 2, { knobs: after, by: 'kept' });
    const later = await explain(recording, { stage: 3, knob: '8.hole' });
    expect(later).toMatchObject({ changes: [], changed: 0 });
    expect(only(later.unchanged)).toMatchObject({ value: 0.2, last: { stage: 2, from: 0.3, to: 0.2 }, next: null });
    const first = await explain(recording, { stage: 1, knob: '8.hole' });
    expect(only(first.unchanged)).toMatchObject({ value: 0.3, last: null, next: { stage: 2, from: 0.3, to: 0.2 } });
  });

  it('that do not exist are refused with the nearest names', async () => {
    await expect(asked('8.hol')).rejects.toMatchObject({
      kind: 'not-found',
      message: 'run shown-run has no knob and no task family named "8.hol"',
      facts: { nearest: expect.arrayContaining(['8.hole']) },
    });
    await expect(explain(shownRun(), { stage: 9 })).rejects.toMatchObject({ name: 'NotDecidedYet' });
  });
});

describe('a decision', () => {
  it('that kept the configuration lists the rejected answers and the alerts', async () => {
    const why = await explain(wholeRun(), { stage: 3 });
    expect(why).toMatchObject({ changes: [], changed: 0, kept: null, decision: { by: 'kept', who: 'gpt' } });
    expect(only(why.rejections)).toMatchObject({ engineer: 'gpt', reason: 'invalid', issues: [{ field: '5.data' }] });
    expect(only(why.alerts)).toMatchObject({ stage: 2, kind: 'forgetting', family: '3', before: 0.91, now: 0.74 });
    expect((await explain(wholeRun(), { stage: 3, knob: '5' })).alerts).toEqual([]);
  });

  it('does not list answers that were rejected after it was made', async () => {
    const recording = wholeRun();
    const asked = { engineer: { name: 'side' }, context: null, issues: [], raw: null };
    recording.add('ProposalRejected', 2, { ...asked, reason: 'unreadable' });
    const why = await explain(recording, { stage: 3 });
    expect(why.rejections.map(({ engineer }) => engineer)).toEqual(['gpt']);
    expect(why.decision.who).toBe('gpt');
  });

  it('of the first stage is the initial configuration', async () => {
    const why = await explain(wholeRun(), { stage: 1 });
    expect(why).toMatchObject({ decision: { by: 'initial', who: null }, changes: [], changed: 0 });
    expect(why.effects[0]?.validation.missing).toBe('there is no stage before the first');
  });

  it('with clamps has the proposed values, and lists changes by family, the largest first', async () => {
    const why = await explain(wholeRun(), { stage: 2 });
    expect(why.changes.map(({ knob }) => knob)).toEqual(['3.data', '5.data', '5.hole', '4.data']);
    expect(why.changes[2]).toMatchObject({ knob: '5.hole', clamps: [{ proposed: 0.18, used: 0.2, rule: 'step' }] });
    expect(why.decision.citation).toBe(0.75);
  });

  it('of a human lists the proposals that were not adopted', async () => {
    const recording = shownRun({ run: 'mine' });
    const context = { digest: 'b'.repeat(64), contextForm: 'combined' };
    const proposal = {
      ...{ engineer: { name: 'rules' }, context, configuration: configurationOf(after) },
      ...{ changes: [], kept: null, clamps: [], rationale: 'leave it', predictions: null },
    };
    const passed = recording.add('ProposalRecorded', 2, proposal, 'engineer/rules');
    const changes = [{ knob: '8.hole', family: '8', from: 0.2, to: 0.15, cites: ['F1'], reason: 'I saw them fall.' }];
    const decided = {
      ...{ by: 'human' as const, proposal: null, context: null, kept: null, clamps: [], previous: null },
      ...{ configuration: configurationOf({ ...after, '8.hole': 0.15 }), changes, rationale: 'mine' },
    };
    recording.add('ConfigAdopted', 2, decided, 'human/ada');
    const why = await explain(recording);
    expect(why.decision).toMatchObject({ by: 'human', who: 'human/ada', says: 'mine', context: null, proposal: null });
    expect(only(why.changes)).toMatchObject({ says: 'I saw them fall.', restsOn: 'no context' });
    expect(why.passedOver).toEqual([{ event: passed, engineer: 'rules', changes: 0, says: 'leave it' }]);
  });

  it('that was only proposed is shown as a proposal', async () => {
    const recording = new Recording('waiting');
    recording.add('RunStarted', null, { name: 'waiting', environment: { name: 'lake' } });
    addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0.1 });
    recording.add('ProposalRecorded', 1, {
      ...{ engineer: { name: 'gpt' }, context: null, configuration: configurationOf(before), kept: null },
      ...{ clamps: [], rationale: null, predictions: null },
      changes: [{ knob: '5.hole', family: '5', from: 0.1, to: 0.2, cites: null, reason: null }],
    });
    const why = await explain(recording, { stage: 2 });
    expect(why).toMatchObject({ isBegun: false, decision: { by: null, who: 'gpt', adopted: null }, passedOver: [] });
    expect(only(why.changes)).toMatchObject({ knob: '5.hole', to: 0.2, restsOn: 'nothing' });
  });

  it('that a fork shares names the run that recorded it', async () => {
    const parent = shownRun();
    const fork = new Recording('forked');
    const revision = parent.sent.length - 1;
    fork.add('RunStarted', null, {
      ...{ name: 'forked', environment: { name: 'lake' } },
      parent: { run: parent.run, stage: 2, revision, digest: 'c'.repeat(64) },
    });
    const shared = await explain([parent, fork], { run: 'forked', stage: 2 });
    expect(shared).toMatchObject({ isShared: true, decision: { recordedBy: 'shown-run', by: 'engineer' } });
    expect(only(shared.changes)).toMatchObject({ knob: '8.hole', restsOn: 'its family', ground: 1 });
    expect(only(shared.exemplars)).toMatchObject({ evidenceId: 'F1', drawn: 'recorded' });
    addDecision(fork, 2, { knobs: before });
    fork.add('StageStarted', 3, { configuration: configurationOf(before) });
    fork.add('EvaluationRecorded', 3, evaluation('validation', 'validation', { 4: 50, 8: 30 }));
    const own = await explain([parent, fork], { run: 'forked' });
    expect(own).toMatchObject({ stage: 3, isShared: false, decision: { recordedBy: 'forked' } });
    expect(own.effects.find(({ family }) => family === '8')?.validation).toMatchObject({
      before: { value: 0.4 },
      after: { value: 0.3 },
    });
  });

  it('comes with the notes about its stage and its knobs', async () => {
    const ledger = await ledgerWith(temporaryFolder(), shownRun());
    const notes = new Recording('shown-run');
    const noted = (says: string, stage: number | null, more: object = {}): void => {
      notes.add('RunAnnotated', stage, { note: says, ...more }, 'human/ada');
    };
    noted('about the stage', 2);
    noted('about another', 1);
    noted('about the knob', 2, { knob: '8.hole' });
    noted('about another knob', 2, { knob: '4.hole' });
    const events = notes.sent.map(({ event }) => event);
    await ledger.append(streamOf.notes('shown-run'), events, { expect: 'any' });
    const says = async (knob?: string): Promise<string[]> =>
      (await explanationFrom(ledger, 'shown-run', 2, knob === undefined ? {} : { knob })).notes.map((one) => one.says);
    expect(await says()).toEqual(['about the stage', 'about the knob']);
    expect(await says('8.hole')).toEqual(['about the knob']);
    await ledger.close();
  });
});
