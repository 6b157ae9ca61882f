import { describe, expect, it } from 'vitest';
import { addProposal, addStage, Recording, wholeRun } from '../history/testing/recording.ts';
import { made, plain } from './testing/made.ts';

describe('a report in words', () => {
  it('counts the changes of all decisions, even those left out of the story, and each changed knob once', async () => {
    const run = new Recording('busy');
    run.add('RunStarted', null, { name: 'busy', environment: { name: 'odd' } });
    for (let stage = 1; stage <= 65; stage++) {
      addStage(run, stage, { knobs: { a: stage, b: 1 }, valid: { 3: 4 }, failures: { 3: { hole: 5 } }, signal: 0.5 });
    }
    const { text, html } = await made(run);
    expect(text).toContain('The first 5 decisions are shown only in the charts');
    expect(text).toContain('knobs changed164 changes in 64 decisions');
    expect(
      html.match(/<nav aria-label="What happened, and why">.*?<\/nav>/s)?.[0].match(/href="#stage-/g),
    ).toHaveLength(60);
  });

  it('begins with the results on tasks that influenced no decision', async () => {
    const { text } = await made(wholeRun());
    const story = text.lastIndexOf('What happened, and why');
    const said =
      'On benchmarks, which engineers never see, from stage 1 to stage 3:wait-50: 43.3 % [38, 49] → 64.0 % [58, 69], +20.7 points (intervals apart)';
    expect(text.indexOf(said)).toBeGreaterThan(0);
    expect(text.indexOf(said)).toBeLessThan(story);
    expect(text).toContain(
      'On the validation suite, from stage 1 to stage 3: valid 43.3 % [38, 49] → 64.0 % [58, 69],',
    );
    expect(text).toContain('; optimal 21.7 % [17, 27] → 32.0 % [27, 37], +10.3 points (intervals apart).');
  });

  it('says once that what came after a change need not come from it', async () => {
    const { text } = await made(wholeRun());
    expect(text.split('Afterwards does not mean because of it')).toHaveLength(2);
    const given = new Recording('given');
    given.add('RunStarted', null, { name: 'given', environment: { name: 'odd' } });
    addStage(given, 1, { knobs: { a: 1 }, valid: { 3: 4 }, failures: { 3: { hole: 5 } }, signal: 0.5 });
    expect((await made(given)).text).not.toContain('because of it');
  });

  it('compares predictions with results', async () => {
    const { html, text, md } = await made(wholeRun());
    expect(text).toContain(
      'It predicted 1 rate of the policy trained in stage 1. Compared with probe-holdout results: 0 of 1 within the intervals; family 5: valid 50.0 % predicted, 10.0 % [6, 17] measured.',
    );
    expect(html).toContain('<summary>Predictions and results</summary>');
    expect(plain(md)).toContain('| 5 | valid | 50.0 % | 10.0 % [6, 17] | probe-holdout |');
  });

  it('does not call a higher learning signal better or a lower one worse', async () => {
    const run = new Recording('mastered');
    run.add('RunStarted', null, { name: 'mastered', environment: { name: 'lake' } });
    const stages = [
      { knobs: { a: 1 }, valid: { 3: 40 }, signal: 0.9 },
      { knobs: { a: 2 }, valid: { 3: 90 }, signal: 0.1 },
    ];
    for (const [i, one] of stages.entries()) addStage(run, i + 1, { ...one, failures: { 3: { hole: 5 } } });
    const { html } = await made(run);
    expect(html).toMatch(/All families: .*<span class="good">\+50.0\u00a0points<\/span>/);
    expect(html).toMatch(/Learning signal: .*<strong>−80.0\u00a0points<\/strong>/);
  });

  it('does not mention unknown evidence ids, unused context forms, or training that has not started', async () => {
    const { text } = await made(wholeRun());
    expect(text).toContain('with the context combined. Citation score');
    const blind = new Recording('blind');
    const engineer = { name: 'uniform', reads: [] };
    const form = { name: 'v4', modules: ['stats'] };
    blind.add('RunStarted', null, { name: 'blind', environment: { name: 'lake' }, engineer, contextForm: form });
    const result = await made(blind);
    expect(result.md).toMatch(/^# blind\n\nlake · uniform\n/);
    expect(result.text).toContain('v4: stats; the engineer does not use it');
    expect(result.text).toContain('blind will train a policy on lake; no stage has started.');
  });

  it('lists proposals that were not adopted', async () => {
    const run = new Recording('passed');
    run.add('RunStarted', null, { name: 'passed', environment: { name: 'odd' } });
    addStage(run, 1, { knobs: { a: 1 }, valid: { 3: 4 }, failures: { 3: { hole: 5 } }, signal: 0.5 });
    const change = { knob: 'a', family: null, from: 1, to: 2, cites: null, reason: null };
    addProposal(run, 1, { knobs: { a: 2 }, changes: [change] });
    addProposal(run, 1, { knobs: { a: 3 }, changes: [{ ...change, to: 3 }] });
    expect((await made(run)).text).toContain('knobs changed11 change in 1 decision');
    const bare = new Recording(run.run);
    bare.sent.push(...run.sent.filter(({ event: { type } }) => type !== 'ConfigAdopted'));
    const { text } = await made(bare);
    expect(text).toContain('gpt proposed to change 1 knob; the proposal was not adopted.');
    expect(text).toContain('gpt also proposed to change 1 knob, which was not adopted.');
    expect(text).toContain('knobs changed0no changes');
  });
});
