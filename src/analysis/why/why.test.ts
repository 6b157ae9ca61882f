import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Why } from '../../../schemas/why-output.ts';
import { why as schema } from '../../../schemas/why-output.ts';
import { openLake } from '../../lab/lake/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun } from '../../ledger/runs.ts';
import { readRun } from '../history/run-read.ts';
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
import { lastDecided } from './asked.ts';
import { after, before, evidenceId, labelsOf, ledgerWith, shownRun, summariesOf } from './testing/shown.ts';
import { type WhyOptions, whyOf } from './why.ts';

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-why-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Telling extends WhyOptions {
  readonly stage?: number;
  readonly evidence?: boolean | Partial<EventData['RolloutRecorded']>;
  readonly run?: string;
}

async function told(recordings: Recording | readonly Recording[], telling: Telling = {}): Promise<Why> {
  const [first, ...others] = recordings instanceof Recording ? [recordings] : recordings;
  const { stage, evidence = true, run, ...options } = telling;
  const ledger = await ledgerWith(temporaryFolder(), first as Recording, evidence);
  try {
    for (const one of others) await one.writeTo(ledger);
    return await toldFrom(ledger, run ?? (first as Recording).run, stage, options);
  } finally {
    await ledger.close();
  }
}

async function toldFrom(ledger: Ledger, run: string, stage: number | undefined, options: WhyOptions): Promise<Why> {
  const read = await readRun(ledger, await findRun(ledger, run));
  const why = await whyOf(ledger, read, stage ?? lastDecided(read), options);
  expect(schema.safeParse(why).error).toBeUndefined();
  return why;
}

function only<Item>(items: readonly Item[]): Item {
  expect(items).toHaveLength(1);
  return items[0] as Item;
}

describe('a knob that was turned', () => {
  it('leads to its decision, its reasons, their figures then and after, the rollouts behind, and what its group did', async () => {
    const why = await told(shownRun());
    expect(why).toMatchObject({
      name: 'shown-run',
      stage: 2,
      isOver: true,
      isShared: false,
      turned: 1,
      environment: 'lake',
    });
    expect(why.decision).toMatchObject({
      by: 'engineer',
      who: 'gpt',
      engineer: { model: 'gpt-5.4' },
      adopted: { stream: 'run-shown-run' },
      proposal: { stream: 'run-shown-run' },
      recordedBy: 'shown-run',
      context: { form: 'abstract', isKnown: true, labels: 8 },
      says: 'Make 8 learnable.',
    });
    const change = only(why.changes);
    expect(change).toMatchObject({ knob: '8.hole', from: 0.3, to: 0.2, steps: -2, direction: 'down', harder: 'more' });
    expect(change).toMatchObject({ makes: 'easier', restsOn: 'its group', ground: 1, says: 'Too hard.' });
    expect(change.verdict).toBe('rests on 2 pieces of evidence of its group');
    expect(change.evidence).toMatchObject([
      {
        ...{ label: 'B8.valid', status: 'shown', module: 'behaviour', concerns: 'its group', exemplars: ['F1'] },
        ...{ figure: { measure: 'valid', count: 4, of: 32 }, since: { count: 9, of: 32 } },
      },
      { label: 'FC8.hole', figure: { about: 'hole', count: 16, of: 20 }, since: { count: 11 }, exemplars: ['F1'] },
    ]);
    expect(only(why.exemplars)).toMatchObject({
      ...{ label: 'F1', group: '8', class: 'hole', drawn: 'recorded', note: null, stage: 1, split: 'probe' },
      rollout: { event: evidenceId(1), stream: 'evidence-shown-run-1-0-0', revision: 0 },
      failure: { event: evidenceId(2), revision: 1 },
      failures: [{ class: 'hole', step: 2, says: 'fell in' }],
    });
    expect(only(why.exemplars).drawing).toContain('step 2');
    expect(why.effects).toMatchObject([
      { group: null, validation: { before: { count: 70, of: 200 }, after: { count: 90 } } },
      {
        group: '8',
        validation: { before: { value: 0.2 }, after: { value: 0.4 }, gain: 0.2, overlap: false, missing: null },
        probe: { before: { count: 4, low: 0.1 }, after: { count: 9 }, overlap: true },
        signal: { before: { value: 0.2, count: 10, of: 50 }, after: { value: 0.4 } },
      },
    ]);
  });

  it('is told as deep as is asked for', async () => {
    const at = async (depth: 1 | 2 | 3): Promise<Why> => await told(shownRun(), { depth });
    const [knobs, labels, figures] = [await at(1), await at(2), await at(3)];
    expect(only(knobs.changes)).toMatchObject({ evidence: [], cites: ['B8.valid', 'FC8.hole'], restsOn: 'its group' });
    expect(only(labels.changes).evidence).toMatchObject([{ label: 'B8.valid', figure: null }, { figure: null }]);
    expect(only(figures.changes).evidence[0]).toMatchObject({ figure: { count: 4 } });
    expect([knobs, labels, figures].map(({ exemplars }) => exemplars)).toEqual([[], [], []]);
  });

  it.each([
    [null, 'nothing', 0, 'cites nothing: nobody said on what it rests'],
    [[], 'nothing', 0, 'cites nothing'],
    [['F9'], 'unknown', 0, 'cites what was not shown: F9; nothing bears it'],
    [['B4.valid'], 'another group', 0, 'cites evidence of another group; nothing bears it'],
    [
      ['O.stages-to-go'],
      'in part',
      0,
      'cites what tells nothing of what the policy did: O.stages-to-go; nothing bears it',
    ],
    [['F1'], 'its group', 1, 'rests on evidence of its group'],
    [['__proto__', 'toString'], 'unknown', 0, 'cites what was not shown: __proto__, toString; nothing bears it'],
  ] as const)('that cites %j rests on: %s', async (because, restsOn, ground, verdict) => {
    const why = await told(shownRun({ change: { because: because === null ? null : [...because] } }));
    expect(only(why.changes)).toMatchObject({ restsOn, ground, verdict, cites: because });
  });

  it('that cites evidence of another group beside its own is said to, and the labels say which', async () => {
    const change = only((await told(shownRun({ change: { because: ['F2', 'B8.valid', 'X'] } }))).changes);
    expect(change.verdict).toBe(
      'rests on evidence of its group; cites evidence of another group; cites what was not shown: X',
    );
    expect(change.evidence.map(({ label, concerns, status }) => [label, concerns, status])).toEqual([
      ['F2', 'another group', 'shown'],
      ['B8.valid', 'its group', 'shown'],
      ['X', null, 'not-shown'],
    ]);
    expect(change.ground).toBeGreaterThan(0);
    expect(change.ground).toBeLessThan(1);
  });

  it('that cites what was left out on purpose is told apart from what never was', async () => {
    const why = await told(shownRun({ change: { because: ['B9.valid', 'B8.x'] }, without: ['B9.valid'] }));
    expect(only(why.changes).evidence).toMatchObject([
      { note: 'it was left out on purpose' },
      { note: 'there was no such label' },
    ]);
  });

  it('of an objective tells what stood there', async () => {
    const why = await told(shownRun({ change: { because: ['O.stages-to-go', 'O.budget.decisions'] } }));
    expect(only(why.changes).evidence).toMatchObject([
      { figure: { measure: 'stages-to-go', value: 2 }, counts: false, status: 'shown' },
      { figure: { measure: 'budget', value: 1000 } },
    ]);
  });

  it('of a history tells what came of a stage, and what a knob was set to, as they stood there', async () => {
    const recording = shownRun();
    const evaluated = recording.sent.find(({ event }) => event.type === 'EvaluationRecorded')?.event.id ?? '';
    const history = { module: 'history', events: [evaluated], group: '8' };
    const labels = { 'H1.8.valid': history, 'H1.8.hole': { ...history, events: [] } };
    const because = ['H1.8.valid', 'H1.8.hole'];
    const why = await told(
      shownRun({
        labels,
        change: { because },
        form: { modules: ['history'], parameters: { history: { first: true } } },
      }),
    );
    expect(only(why.changes).evidence).toMatchObject([
      { figure: { measure: 'valid', value: 0.2, count: 20, of: 100 }, counts: true, since: null, status: 'shown' },
      { label: 'H1.8.hole', counts: false },
    ]);
    const hidden = await told(shownRun({ labels, change: { because } }));
    expect(only(hidden.changes).evidence[0]).toMatchObject({ status: 'unreadable', figure: null });
  });

  it('of what the policy says of itself has its words, as long as they are there', async () => {
    const saying = async (
      text: EventData['SummaryRecorded']['text'],
    ): Promise<Why['changes'][number]['evidence'][number]> => {
      const itself = { module: 'self-summary', splits: ['probe' as const], facts: [], exemplars: [], text };
      const shown = { summaries: [...summariesOf(4), itself], change: { because: ['N2'] } };
      const summary = shownRun(shown).sent.findLast(
        ({ event }) => event.stage === 1 && event.type === 'SummaryRecorded',
      );
      const labels = { N2: { module: 'self-summary', events: [summary?.event.id ?? ''], group: null } };
      return only(only((await told(shownRun({ ...shown, labels }))).changes).evidence);
    };
    expect(await saying({ text: 'I am new.\n\nI fall in\nat the edges.' })).toMatchObject({
      ...{ status: 'shown', figure: null, counts: false, concerns: 'in part' },
      text: expect.stringMatching(/^ *I fall in\n *at the edges\.$/),
    });
    expect(await saying({ blob: 'a'.repeat(64), bytes: 9 })).toMatchObject({ status: 'unreadable', text: null });
  });

  it('and one that was kept on purpose read alike', async () => {
    const kept = [{ knob: '4.hole', group: '4', because: ['B4.valid'], says: 'It works.' }];
    const why = await told(shownRun({ kept }));
    expect(only(why.kept ?? [])).toMatchObject({ knob: '4.hole', value: 0.1, restsOn: 'its group', says: 'It works.' });
    expect(why.effects.map(({ group }) => group)).toEqual([null, '4', '8']);
    expect(why.exemplars.map(({ label }) => label)).toEqual(['F1', 'F2']);
  });
});

describe('what is not there', () => {
  it('leaves the story standing: a rollout whose event is missing keeps the drawing that was recorded', async () => {
    const why = await told(shownRun({ change: { because: ['F1'] } }), { evidence: false });
    expect(only(only(why.changes).evidence)).toMatchObject({
      ...{ status: 'unreadable', note: 'its rollout is not in this ledger', exemplars: ['F1'] },
    });
    expect(only(why.exemplars)).toMatchObject({
      ...{ note: 'its rollout is not in this ledger', drawn: 'recorded', rollout: { stream: null, revision: null } },
    });
  });

  it('a summary that is missing takes its figures with it', async () => {
    const labels = labelsOf(shownRun());
    const gone = { ...labels, 'B8.valid': { module: 'behaviour', events: [evidenceId(77)], group: '8' } };
    const why = await told(shownRun({ labels: gone }));
    expect(only(why.changes)).toMatchObject({ restsOn: 'its group' });
    expect(only(why.changes).evidence[0]).toMatchObject({
      ...{ status: 'unreadable', note: 'the event behind it is not in this ledger', figure: null, since: null },
    });
  });

  it('a context that is missing leaves nobody to know what was shown', async () => {
    const why = await told(shownRun({ isRecorded: false }));
    expect(why.decision.context).toMatchObject({ isKnown: false, labels: 0 });
    expect(only(why.changes)).toMatchObject({ restsOn: 'no context', ground: null });
    expect(only(why.changes).verdict).toBe('cites B8.valid, FC8.hole, and nobody knows what was shown');
    expect(only(why.changes).evidence).toMatchObject([{ status: 'no-context' }, { status: 'no-context' }]);
    expect(why.exemplars).toEqual([]);
  });

  it('a text that was erased is said to be', async () => {
    const completion = { blob: 'a'.repeat(64), bytes: 9 };
    const why = await told(shownRun(), { evidence: { completion }, textOf: async () => null });
    expect(only(why.exemplars)).toMatchObject({
      ...{ drawn: 'recorded', note: 'what the policy answered was erased, or its blob is missing' },
    });
  });

  it('a drawing that was not recorded is made again, from the rollout as it was recorded', async () => {
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
    const asItIs = only((await told(shown, { evidence: { instance } })).exemplars);
    expect(asItIs).toMatchObject({ drawn: 'again' });
    expect(asItIs.drawing).toMatch(/^task: .*\nanswer: \["UU","D"\]$/);
    const lake = shownRun({ summaries: bare, version: openLake().descriptor.version });
    const asTheLakeDraws = only((await told(lake, { evidence: { instance } })).exemplars);
    expect(asTheLakeDraws).toMatchObject({ drawn: 'again' });
    expect(asTheLakeDraws.drawing).toContain('╭');
    expect(asTheLakeDraws.drawing).toContain('hole');
    const without = await told(shown, { evidence: false });
    expect(only(without.exemplars)).toMatchObject({ drawing: null, drawn: null });
  });

  it('labels of others may name rollouts that stand in no summary', async () => {
    const labels = { mine: { module: 'failures', events: [evidenceId(1), evidenceId(2)], group: '8' } };
    const why = await told(shownRun({ labels, change: { because: ['mine'] } }));
    expect(only(only(why.changes).evidence)).toMatchObject({ status: 'shown', figure: null, exemplars: ['mine'] });
    expect(only(why.exemplars)).toMatchObject({ label: 'mine', class: 'hole', rollout: { event: evidenceId(1) } });
  });

  it('a label means the rollout that the context names for it, whatever is called alike elsewhere', async () => {
    const labels = { F1: { module: 'failures', events: [evidenceId(3), evidenceId(4)], group: '4' } };
    const why = await told(shownRun({ labels, change: { because: ['F1'] } }));
    expect(only(why.exemplars)).toMatchObject({ label: 'F1', class: 'off-grid', rollout: { event: evidenceId(3) } });
    expect(only(why.changes)).toMatchObject({ restsOn: 'another group' });
  });

  it('a stage that is not over, or has not begun, says so where its figures would be', async () => {
    const half = await told(shownRun({ over: 1 }));
    expect(half).toMatchObject({ isBegun: true, isOver: false });
    expect(half.effects[1]).toMatchObject({
      validation: { before: { value: 0.2 }, after: { value: null }, gain: null, missing: 'stage 2 is not over' },
    });
    const recording = shownRun();
    addDecision(recording, 2, { knobs: before, changes: [] });
    const next = await told(recording);
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

  it('a run of which nothing is known has nothing to tell, and a run of few events what there is', async () => {
    const bare = new Recording('bare');
    bare.add('RunStarted', null, { name: 'bare', environment: { name: 'x' } });
    await expect(told(bare)).rejects.toThrow('run bare has no decision yet');
    bare.add('StageStarted', 2, { configuration: configurationOf(before) });
    bare.add('StageStarted', 3, { configuration: configurationOf(after) });
    const why = await told(bare);
    expect(why).toMatchObject({ stage: 3, decision: { by: null, adopted: null, at: null }, kept: null });
    expect(only(why.changes)).toMatchObject({ knob: '8.hole', steps: null, meaning: null, restsOn: 'nothing' });
    expect(why.effects[0]?.probe.missing).toBe('stage 3 is not over');
  });
});

describe('which knobs', () => {
  const asked = async (knob: string, stage?: number): Promise<Why> =>
    await told(shownRun(), { knob, ...(stage === undefined ? {} : { stage }) });

  it('are told of follows from a name: of a knob, or of a group', async () => {
    expect((await asked('8.hole')).changes.map(({ knob }) => knob)).toEqual(['8.hole']);
    const group = await asked('8');
    expect(group.changes.map(({ knob }) => knob)).toEqual(['8.hole']);
    expect(group.unchanged.map(({ knob }) => knob)).toEqual(['8.data']);
    expect(group.effects.map((one) => one.group)).toEqual([null, '8']);
  });

  it('did not change is said with when they did', async () => {
    expect((await asked('4.hole')).unchanged).toEqual([
      { knob: '4.hole', group: '4', value: 0.1, last: null, next: null },
    ]);
    const recording = shownRun();
    addDecision(recording, 2, { knobs: after, by: 'carried-over' });
    const later = await told(recording, { stage: 3, knob: '8.hole' });
    expect(later).toMatchObject({ changes: [], turned: 0 });
    expect(only(later.unchanged)).toMatchObject({ value: 0.2, last: { stage: 2, from: 0.3, to: 0.2 }, next: null });
    const first = await told(recording, { stage: 1, knob: '8.hole' });
    expect(only(first.unchanged)).toMatchObject({ value: 0.3, last: null, next: { stage: 2, from: 0.3, to: 0.2 } });
  });

  it('there are none of is said with the nearest names', async () => {
    await expect(asked('8.hol')).rejects.toMatchObject({
      kind: 'not-found',
      message: 'run shown-run has no knob "8.hol", and no group of knobs of that name',
      facts: { nearest: expect.arrayContaining(['8.hole']) },
    });
    await expect(told(shownRun(), { stage: 9 })).rejects.toMatchObject({ name: 'NoSuchStage' });
  });
});

describe('a decision', () => {
  it('that was carried over comes with the answers that could not be used, and alerts of both stages', async () => {
    const why = await told(wholeRun(), { stage: 3 });
    expect(why).toMatchObject({ changes: [], turned: 0, kept: null, decision: { by: 'carried-over', who: 'gpt' } });
    expect(only(why.rejections)).toMatchObject({ engineer: 'gpt', reason: 'invalid', issues: [{ field: '5.data' }] });
    expect(only(why.alerts)).toMatchObject({ stage: 2, kind: 'forgetting', group: '3', before: 0.91, now: 0.74 });
    expect((await told(wholeRun(), { stage: 3, knob: '5' })).alerts).toEqual([]);
  });

  it('that nobody took is what the run began with', async () => {
    const why = await told(wholeRun(), { stage: 1 });
    expect(why).toMatchObject({ decision: { by: 'initial', who: null }, changes: [], turned: 0 });
    expect(why.effects[0]?.validation.missing).toBe('there is no stage before the first');
  });

  it('with clamps has what was proposed, and comes by group, the biggest change first', async () => {
    const why = await told(wholeRun(), { stage: 2 });
    expect(why.changes.map(({ knob }) => knob)).toEqual(['3.data', '5.data', '5.hole', '4.data']);
    expect(why.changes[2]).toMatchObject({ knob: '5.hole', clamps: [{ proposed: 0.18, used: 0.2, rule: 'step' }] });
    expect(why.decision.grounded).toBe(0.75);
  });

  it('of a person reads the same, with what was proposed and passed over', async () => {
    const recording = shownRun({ run: 'mine' });
    const context = { digest: 'b'.repeat(64), form: 'abstract' };
    const proposal = {
      ...{ forStage: 3, engineer: { name: 'rules' }, context, configuration: configurationOf(after) },
      ...{ changes: [], kept: null, clamps: [], says: 'leave it', predictions: null },
    };
    const passed = recording.add('ProposalRecorded', 2, proposal, 'engineer/rules');
    const changes = [{ knob: '8.hole', group: '8', from: 0.2, to: 0.15, because: ['F1'], says: 'I saw them fall.' }];
    const decided = {
      ...{ forStage: 3, by: 'human' as const, proposal: null, context: null, kept: null, clamps: [], previous: null },
      ...{ configuration: configurationOf({ ...after, '8.hole': 0.15 }), changes, says: 'mine' },
    };
    recording.add('ConfigAdopted', 2, decided, 'human/ada');
    const why = await told(recording);
    expect(why.decision).toMatchObject({ by: 'human', who: 'human/ada', says: 'mine', context: null, proposal: null });
    expect(only(why.changes)).toMatchObject({ says: 'I saw them fall.', restsOn: 'no context' });
    expect(why.passedOver).toEqual([{ event: passed, engineer: 'rules', changes: 0, says: 'leave it' }]);
  });

  it('that was only proposed is told as far as it goes', async () => {
    const recording = new Recording('waiting');
    recording.add('RunStarted', null, { name: 'waiting', environment: { name: 'lake' } });
    addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0.1 });
    recording.add('ProposalRecorded', 1, {
      ...{ forStage: 2, engineer: { name: 'gpt' }, context: null, configuration: configurationOf(before), kept: null },
      ...{ clamps: [], says: null, predictions: null },
      changes: [{ knob: '5.hole', group: '5', from: 0.1, to: 0.2, because: null, says: null }],
    });
    const why = await told(recording, { stage: 2 });
    expect(why).toMatchObject({ isBegun: false, decision: { by: null, who: 'gpt', adopted: null }, passedOver: [] });
    expect(only(why.changes)).toMatchObject({ knob: '5.hole', to: 0.2, restsOn: 'nothing' });
  });

  it('that a fork shares is told with the run that recorded it', async () => {
    const parent = shownRun();
    const fork = new Recording('forked');
    const revision = parent.sent.length - 1;
    fork.add('RunStarted', null, {
      ...{ name: 'forked', environment: { name: 'lake' } },
      parent: { run: parent.run, stage: 2, revision, digest: 'c'.repeat(64) },
    });
    const shared = await told([parent, fork], { run: 'forked', stage: 2 });
    expect(shared).toMatchObject({ isShared: true, decision: { recordedBy: 'shown-run', by: 'engineer' } });
    expect(only(shared.changes)).toMatchObject({ knob: '8.hole', restsOn: 'its group', ground: 1 });
    expect(only(shared.exemplars)).toMatchObject({ label: 'F1', drawn: 'recorded' });
    addDecision(fork, 2, { knobs: before });
    fork.add('StageStarted', 3, { configuration: configurationOf(before) });
    fork.add('EvaluationRecorded', 3, evaluation('validation', 'validation', { 4: 50, 8: 30 }));
    const own = await told([parent, fork], { run: 'forked' });
    expect(own).toMatchObject({ stage: 3, isShared: false, decision: { recordedBy: 'forked' } });
    expect(own.effects.find(({ group }) => group === '8')?.validation).toMatchObject({
      before: { value: 0.4 },
      after: { value: 0.3 },
    });
  });

  it('comes with what people noted about it, its stage and its knobs', async () => {
    const ledger = await ledgerWith(temporaryFolder(), shownRun());
    const notes = new Recording('shown-run');
    const noted = (says: string, stage: number | null, more: object = {}): void => {
      notes.add('RunAnnotated', stage, { says, ...more }, 'human/ada');
    };
    noted('about the stage', 2);
    noted('about another', 1);
    noted('about the knob', 2, { knob: '8.hole' });
    noted('about another knob', 2, { knob: '4.hole' });
    const events = notes.sent.map(({ event }) => event);
    await ledger.append(streamOf.notes('shown-run'), events, { expect: 'any' });
    const says = async (knob?: string): Promise<string[]> =>
      (await toldFrom(ledger, 'shown-run', 2, knob === undefined ? {} : { knob })).notes.map((one) => one.says);
    expect(await says()).toEqual(['about the stage', 'about the knob']);
    expect(await says('8.hole')).toEqual(['about the knob']);
    await ledger.close();
  });
});
