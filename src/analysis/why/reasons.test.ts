import { describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Why } from '../../../schemas/why-output.ts';
import { evidenceId, shownRun, summariesOf } from './testing/evidence-run.ts';
import { explain, only } from './testing/telling.ts';

describe('a knob that changed', () => {
  it('has its decision, reason, cited figures then and after, exemplars, and effects on its family', async () => {
    const why = await explain(shownRun());
    expect(why).toMatchObject({
      name: 'shown-run',
      stage: 2,
      isOver: true,
      isShared: false,
      changed: 1,
      environment: 'lake',
    });
    expect(why.decision).toMatchObject({
      by: 'engineer',
      who: 'gpt',
      engineer: { model: 'gpt-5.4' },
      adopted: { stream: 'run-shown-run' },
      proposal: { stream: 'run-shown-run' },
      recordedBy: 'shown-run',
      context: { form: 'combined', isKnown: true, evidenceIds: 8 },
      says: 'Make 8 learnable.',
    });
    const change = only(why.changes);
    expect(change).toMatchObject({ knob: '8.hole', from: 0.3, to: 0.2, steps: -2, direction: 'down', harder: 'more' });
    expect(change).toMatchObject({ makes: 'easier', restsOn: 'its family', ground: 1, says: 'Too hard.' });
    expect(change.verdict).toBe('rests on 2 pieces of evidence about its family');
    expect(change.evidence).toMatchObject([
      {
        ...{ evidenceId: 'B8.valid', status: 'shown', module: 'behaviour', concerns: 'its family', exemplars: ['F1'] },
        ...{ figure: { measure: 'valid', count: 4, of: 32 }, since: { count: 9, of: 32 } },
      },
      { evidenceId: 'FC8.hole', figure: { about: 'hole', count: 16, of: 20 }, since: { count: 11 }, exemplars: ['F1'] },
    ]);
    expect(only(why.exemplars)).toMatchObject({
      ...{ evidenceId: 'F1', family: '8', class: 'hole', drawn: 'recorded', note: null, stage: 1, split: 'probe' },
      rollout: { event: evidenceId(1), stream: 'evidence-shown-run-1-0-0', revision: 0 },
      failure: { event: evidenceId(2), revision: 1 },
      failures: [{ class: 'hole', step: 2, says: 'fell in' }],
    });
    expect(only(why.exemplars).drawing).toContain('step 2');
    expect(why.effects).toMatchObject([
      { family: null, validation: { before: { count: 70, of: 200 }, after: { count: 90 } } },
      {
        family: '8',
        validation: { before: { value: 0.2 }, after: { value: 0.4 }, gain: 0.2, overlap: false, missing: null },
        probe: { before: { count: 4, low: 0.1 }, after: { count: 9 }, overlap: true },
        signal: { before: { value: 0.2, count: 10, of: 50 }, after: { value: 0.4 } },
      },
    ]);
  });

  it('has as much detail as requested', async () => {
    const at = async (depth: 1 | 2 | 3): Promise<Why> => await explain(shownRun(), { depth });
    const [knobs, evidenceIds, figures] = [await at(1), await at(2), await at(3)];
    expect(only(knobs.changes)).toMatchObject({ evidence: [], cites: ['B8.valid', 'FC8.hole'], restsOn: 'its family' });
    expect(only(evidenceIds.changes).evidence).toMatchObject([
      { evidenceId: 'B8.valid', figure: null },
      { figure: null },
    ]);
    expect(only(figures.changes).evidence[0]).toMatchObject({ figure: { count: 4 } });
    expect([knobs, evidenceIds, figures].map(({ exemplars }) => exemplars)).toEqual([[], [], []]);
  });

  it.each([
    [null, 'nothing', 0, 'no evidence cited'],
    [[], 'nothing', 0, 'no evidence cited'],
    [['F9'], 'unknown', 0, 'cites F9, which was not shown; nothing supports it'],
    [['B4.valid'], 'another family', 0, 'cites evidence about another family; nothing supports it'],
    [['O.stages-to-go'], 'in part', 0, 'cites O.stages-to-go, not about what the policy did; nothing supports it'],
    [['F1'], 'its family', 1, 'rests on evidence about its family'],
    [['__proto__', 'toString'], 'unknown', 0, 'cites __proto__, toString, which was not shown; nothing supports it'],
  ] as const)('that cites %j rests on: %s', async (cites, restsOn, ground, verdict) => {
    const why = await explain(shownRun({ change: { cites: cites === null ? null : [...cites] } }));
    expect(only(why.changes)).toMatchObject({ restsOn, ground, verdict, cites });
  });

  it('that cites its own and another family has both in its verdict and in each evidence id', async () => {
    const change = only((await explain(shownRun({ change: { cites: ['F2', 'B8.valid', 'X'] } }))).changes);
    expect(change.verdict).toBe(
      'rests on evidence about its family; cites evidence about another family; cites X, which was not shown',
    );
    expect(change.evidence.map(({ evidenceId, concerns, status }) => [evidenceId, concerns, status])).toEqual([
      ['F2', 'another family', 'shown'],
      ['B8.valid', 'its family', 'shown'],
      ['X', null, 'not-shown'],
    ]);
    expect(change.ground).toBeCloseTo(1 / 3, 5);
  });

  it('has different notes for cited evidence that was left out on purpose and that never existed', async () => {
    const why = await explain(shownRun({ change: { cites: ['B9.valid', 'B8.x'] }, without: ['B9.valid'] }));
    expect(only(why.changes).evidence).toMatchObject([
      { note: 'it was left out on purpose' },
      { note: 'there was no such evidence id' },
    ]);
  });

  it('that cites an objective has the value that was shown', async () => {
    const why = await explain(shownRun({ change: { cites: ['O.stages-to-go', 'O.budget.agent-steps'] } }));
    expect(only(why.changes).evidence).toMatchObject([
      { figure: { measure: 'stages-to-go', value: 2 }, counts: false, status: 'shown' },
      { figure: { measure: 'budget', value: 1000 } },
    ]);
  });

  it('that cites the history has the result of that stage, if the context showed it', async () => {
    const recording = shownRun();
    const evaluated = recording.sent.find(({ event }) => event.type === 'EvaluationRecorded')?.event.id ?? '';
    const history = { module: 'history', events: [evaluated], family: '8' };
    const evidenceIds = { 'H1.8.valid': history, 'H1.8.hole': { ...history, events: [] } };
    const cites = ['H1.8.valid', 'H1.8.hole'];
    const why = await explain(
      shownRun({
        evidenceIds,
        change: { cites },
        form: { modules: ['history'], parameters: { history: { first: true } } },
      }),
    );
    expect(only(why.changes).evidence).toMatchObject([
      { figure: { measure: 'valid', value: 0.2, count: 20, of: 100 }, counts: true, since: null, status: 'shown' },
      { evidenceId: 'H1.8.hole', counts: false },
    ]);
    const hidden = await explain(shownRun({ evidenceIds, change: { cites } }));
    expect(only(hidden.changes).evidence[0]).toMatchObject({ status: 'unreadable', figure: null });
  });

  it('that cites a self-summary has the cited paragraph, unless its text is missing', async () => {
    const saying = async (
      text: EventData['SummaryRecorded']['text'],
    ): Promise<Why['changes'][number]['evidence'][number]> => {
      const itself = { module: 'self-summary', splits: ['probe' as const], facts: [], exemplars: [], text };
      const shown = { summaries: [...summariesOf(4), itself], change: { cites: ['N2'] } };
      const summary = shownRun(shown).sent.findLast(
        ({ event }) => event.stage === 2 && event.type === 'SummaryRecorded',
      );
      const evidenceIds = { N2: { module: 'self-summary', events: [summary?.event.id ?? ''], family: null } };
      return only(only((await explain(shownRun({ ...shown, evidenceIds }))).changes).evidence);
    };
    expect(await saying({ text: 'I am new.\n\nI fall in\nat the edges.' })).toMatchObject({
      ...{ status: 'shown', figure: null, counts: false, concerns: 'in part' },
      text: expect.stringMatching(/^ *I fall in\n *at the edges\.$/),
    });
    expect(await saying({ blob: 'a'.repeat(64), bytes: 9 })).toMatchObject({ status: 'unreadable', text: null });
  });

  it('is explained like a knob that was kept on purpose', async () => {
    const kept = [{ knob: '4.hole', family: '4', cites: ['B4.valid'], reason: 'It works.' }];
    const why = await explain(shownRun({ kept }));
    expect(only(why.kept ?? [])).toMatchObject({
      knob: '4.hole',
      value: 0.1,
      restsOn: 'its family',
      says: 'It works.',
    });
    expect(why.effects.map(({ family }) => family)).toEqual([null, '4', '8']);
    expect(why.exemplars.map(({ evidenceId }) => evidenceId)).toEqual(['F1', 'F2']);
  });
});
