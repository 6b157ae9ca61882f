import { describe, expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { addDecision, configurationOf, Recording } from '../history/testing/recording.ts';
import { after, before, evidenceId, evidenceIdsOf, shownRun, summariesOf } from './testing/evidence-run.ts';
import { explain, only } from './testing/telling.ts';

describe('an explanation with missing data', () => {
  it('shows the recorded drawing of a rollout whose event is missing', async () => {
    const why = await explain(shownRun({ change: { cites: ['F1'] } }), { evidence: false });
    expect(only(only(why.changes).evidence)).toMatchObject({
      ...{ status: 'unreadable', note: 'its rollout is not in this ledger', exemplars: ['F1'] },
    });
    expect(only(why.exemplars)).toMatchObject({
      ...{ note: 'its rollout is not in this ledger', drawn: 'recorded', rollout: { stream: null, revision: null } },
    });
  });

  it('has no figures from a missing summary', async () => {
    const evidenceIds = evidenceIdsOf(shownRun());
    const gone = { ...evidenceIds, 'B8.valid': { module: 'behaviour', events: [evidenceId(77)], family: '8' } };
    const why = await explain(shownRun({ evidenceIds: gone }));
    expect(only(why.changes)).toMatchObject({ restsOn: 'its family' });
    expect(only(why.changes).evidence[0]).toMatchObject({
      ...{ status: 'unreadable', note: 'the event behind it is not in this ledger', figure: null, since: null },
    });
  });

  it('says that the context is not recorded, and does not judge citations', async () => {
    const why = await explain(shownRun({ isRecorded: false }));
    expect(why.decision.context).toMatchObject({ isKnown: false, evidenceIds: 0 });
    expect(only(why.changes)).toMatchObject({ restsOn: 'no context', ground: null });
    expect(only(why.changes).verdict).toBe('cites B8.valid, FC8.hole, but the context is not recorded');
    expect(only(why.changes).evidence).toMatchObject([{ status: 'no-context' }, { status: 'no-context' }]);
    expect(why.exemplars).toEqual([]);
  });

  it('notes that the answer of a policy was erased or is missing', async () => {
    const completion = { blob: 'a'.repeat(64), bytes: 9 };
    const why = await explain(shownRun(), { evidence: { completion }, textOf: async () => null });
    expect(only(why.exemplars)).toMatchObject({
      ...{ drawn: 'recorded', note: 'what the policy answered was erased, or its blob is missing' },
    });
  });

  it('draws an exemplar again from its rollout if no drawing was recorded', async () => {
    const bare = summariesOf(4).map((one) => ({
      ...one,
      exemplars: one.exemplars.map(({ drawing: _, ...exemplar }) => exemplar),
    }));
    const agents = [
      { start: [2, 0], goal: [0, 0] },
      { start: [1, 1], goal: [1, 2] },
    ];
    const instance = { inline: { size: 3, holes: [[1, 0]], agents } };
    const shown = shownRun({ summaries: bare });
    const asItIs = only((await explain(shown, { evidence: { task: instance } })).exemplars);
    expect(asItIs).toMatchObject({ drawn: 'again' });
    expect(asItIs.drawing).toMatch(/^task: .*\nanswer: \["UU","D"\]$/);
    const lake = shownRun({ summaries: bare, version: openLake().descriptor.version });
    const asTheLakeDraws = only((await explain(lake, { evidence: { task: instance } })).exemplars);
    expect(asTheLakeDraws).toMatchObject({ drawn: 'again' });
    expect(asTheLakeDraws.drawing).toContain('╭');
    expect(asTheLakeDraws.drawing).toContain('hole');
    const without = await explain(shown, { evidence: false });
    expect(only(without.exemplars)).toMatchObject({ drawing: null, drawn: null });
  });

  it('shows a cited rollout that is in no summary', async () => {
    const evidenceIds = { mine: { module: 'failures', events: [evidenceId(1), evidenceId(2)], family: '8' } };
    const why = await explain(shownRun({ evidenceIds, change: { cites: ['mine'] } }));
    expect(only(only(why.changes).evidence)).toMatchObject({ status: 'shown', figure: null, exemplars: ['mine'] });
    expect(only(why.exemplars)).toMatchObject({ evidenceId: 'mine', class: 'hole', rollout: { event: evidenceId(1) } });
  });

  it('resolves an evidence id by the context, even if a summary uses it for another rollout', async () => {
    const evidenceIds = { F1: { module: 'failures', events: [evidenceId(3), evidenceId(4)], family: '4' } };
    const why = await explain(shownRun({ evidenceIds, change: { cites: ['F1'] } }));
    expect(only(why.exemplars)).toMatchObject({
      evidenceId: 'F1',
      class: 'off-grid',
      rollout: { event: evidenceId(3) },
    });
    expect(only(why.changes)).toMatchObject({ restsOn: 'another family' });
  });

  it('has a reason in place of the figures of a stage that is incomplete or has not begun', async () => {
    const half = await explain(shownRun({ over: 1 }));
    expect(half).toMatchObject({ isBegun: true, isOver: false });
    expect(half.effects[1]).toMatchObject({
      validation: { before: { value: 0.2 }, after: { value: null }, gain: null, missing: 'stage 2 is not complete' },
    });
    const recording = shownRun();
    addDecision(recording, 2, { knobs: before, changes: [] });
    const next = await explain(recording);
    expect(next).toMatchObject({ stage: 3, isBegun: false, decision: { by: 'human', who: 'producer/run' } });
    expect(next.effects[1]?.validation.missing).toBe('stage 3 has not begun');
    expect(only(next.changes)).toMatchObject({
      knob: '8.hole',
      from: 0.2,
      to: 0.3,
      restsOn: 'nothing',
      makes: 'harder',
    });
  });

  it('is refused for a run without decisions, and given for a run with few events', async () => {
    const bare = new Recording('bare');
    bare.add('RunStarted', null, { name: 'bare', environment: { name: 'x' } });
    await expect(explain(bare)).rejects.toThrow('run bare has no decision yet');
    bare.add('StageStarted', 2, { configuration: configurationOf(before) });
    bare.add('StageStarted', 3, { configuration: configurationOf(after) });
    const why = await explain(bare);
    expect(why).toMatchObject({ stage: 3, decision: { by: null, adopted: null, at: null }, kept: null });
    expect(only(why.changes)).toMatchObject({ knob: '8.hole', steps: null, meaning: null, restsOn: 'nothing' });
    expect(why.effects[0]?.probe.missing).toBe('stage 3 is not complete');
  });
});
