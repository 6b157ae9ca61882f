import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { report as schema } from '../../../schemas/report-output.ts';
import { markdownText } from '../../document/markdown.ts';
import { readRun } from '../../producers/history/reading.ts';
import { inLedger } from '../../projections/testing/folded.ts';
import { randomHistory } from '../../projections/testing/random-history.ts';
import { listRuns } from '../history/runs.ts';
import { addProposal, addStage, evenly, Recording, sizes, wholeRun } from '../history/testing/recording.ts';
import { shownRun, summariesOf } from '../why/testing/evidence-run.ts';
import { reportDocument, reportHtml } from './document.ts';
import { reportOf } from './report.ts';
import { hostileRuns } from './testing/hostile.ts';
import { made, plain, textOf } from './testing/made.ts';

describe('a report', () => {
  it('says for every stage what changed, why, on what evidence, and with what result', async () => {
    const { text, md } = await made(shownRun(), { withEvidence: true });
    for (const said of [
      'The engineer gpt (model gpt-5.4) changed 1 knob on 2026-07-01 12:00, with the context combined (8 evidence ids).',
      'Make 8 learnable.',
      '8.hole 0.3 → 0.2 (−2 steps, easier)',
      '“Too hard.”',
      'B8.valid 12.5 % [10, 50], 4 of 32',
      'Family 8: 20.0 % [13, 29] → 40.0 % [31, 50], +20.0 points (intervals apart)',
      'Result on the validation suite: 35.0 % [29, 42] → 45.0 % [38, 52], +10.0 points (intervals overlap).',
      'F1 hole in step 2, family 8, stage 1',
    ]) {
      expect(text).toContain(said);
    }
    expect(plain(md)).toContain(
      '- **8.hole** 0.3 → 0.2 (−2 steps, easier)\n  - reason: “Too hard.”\n  - evidence: `B8.valid` 12.5 %',
    );
  });

  it('says plainly that a change cites nothing or cites unknown evidence', async () => {
    const bare = await made(shownRun({ change: { cites: null, reason: null } }));
    expect(bare.text).toContain('none given');
    expect(bare.text).toContain('No evidence cited');
    const strange = await made(shownRun({ change: { cites: ['B9.valid'] } }));
    expect(strange.text).toContain('Cites B9.valid, which was not shown');
  });

  it('explains the prefixes of evidence ids without the names of families', async () => {
    const summaries = summariesOf(4).map((summary) => ({
      ...summary,
      facts: summary.facts.map((fact) => ({
        ...fact,
        family: 'river',
        evidenceId: fact.evidenceId.replace(/[48]/, 'river'),
      })),
      exemplars: [],
    }));
    const [rate, failures] = summaries.map(({ facts }) => facts.slice(1));
    const { text } = await made(
      shownRun({
        summaries: summaries.map((summary, i) => ({ ...summary, facts: [rate, failures][i] ?? [] })),
        change: { cites: ['Briver.valid', 'FCriver.hole'] },
      }),
    );
    expect(text).toContain(
      'Evidence ids name facts of the context that the engineer saw: B for behaviour, FC for failures.',
    );
  });

  it('states the initial weights of the policy only if its name does not', async () => {
    const policies = [
      ['neural', 'policyneural 1'],
      ['base', 'policyneural 1 (from base)'],
    ] as const;
    for (const [from, said] of policies) {
      const run = new Recording('named');
      const policy = { name: 'neural', version: '1', parameters: { from } };
      run.add('RunStarted', null, { name: 'named', environment: { name: 'lake' }, policy, seed: 1 });
      expect((await made(run)).text).toMatch(new RegExp(`${said.replace(/[()]/g, '\\$&')}(?! \\()`));
    }
  });

  it('includes rejected answers, alerts, benchmarks, and how the run was made', async () => {
    const { text } = await made(wholeRun());
    for (const said of [
      'The configuration of stage 2 was kept, because no answer of gpt could be used.',
      'An answer of gpt was rejected (invalid): 5.data was "much"; allowed: a number',
      'What was mastered is being forgotten in family 3: valid 91.0 % → 74.0 %',
      'wait-50valid43.3 % [38, 49]64.0 % [58, 69]',
      'icecore 0.1.0 at abcdef012345',
      'contextcombined: failures stats behaviour',
    ]) {
      expect(text).toContain(said);
    }
  });

  it('says how to check it: the command, the end of the run, the head, the events of each decision', async () => {
    const { report, text } = await made(wholeRun());
    expect(text).toContain('icecore verify k3v9q2m8x1tz --recompute');
    expect(report.end?.revision).toBeGreaterThan(20);
    expect(text).toContain(`icecore event show run-k3v9q2m8x1tz@${report.end?.revision}\n${report.end?.digest}`);
    expect(text).toContain(`"root": "${report.ledger.head?.root}"`);
    for (const { decision } of report.story) expect(text).toContain(decision.adopted?.event);
  });

  it('matches the published schema', async () => {
    expect(schema.parse(JSON.parse(JSON.stringify((await made(wholeRun())).report)))).toMatchObject({ leftOut: false });
  });

  it('leaves out what engineers never see while a human decides', async () => {
    const run = new Recording('hand', Date.UTC(2026, 6, 1));
    run.add('RunStarted', null, {
      name: 'hand',
      environment: { name: 'lake' },
      engineer: { name: 'human' },
      stages: 2,
    });
    addStage(run, 1, {
      knobs: evenly(sizes),
      valid: { 3: 80, 4: 40, 5: 10 },
      failures: { 3: { hole: 5 } },
      signal: 0.5,
    });
    addProposal(run, 1, { knobs: evenly(sizes) });
    const shut = await made(run);
    expect(shut.text).toContain('Benchmarks and probe-holdout figures are left out');
    expect(`${shut.html}${shut.md}${JSON.stringify(shut.report)}`).not.toMatch(/wait-50|"probe-holdout"/);
    expect(shut.text).toContain('It predicted 1 rate of the policy trained in stage 1; the results are left out.');
    const open = await made(run, { all: true });
    expect(open.text).toContain('wait-50');
    expect(open.text).toContain('Compared with probe-holdout results');
  });

  it.each([
    ['that has only started', []],
    ['with a stage without a start event', ['EvaluationRecorded']],
    ['in the middle of a stage', ['StageStarted', 'TrainingRecorded']],
  ] as const)('can be made of a run %s', async (_, types) => {
    const whole = wholeRun();
    const some = new Recording(whole.run);
    const started = { name: 'bare', environment: { name: 'lake' } };
    some.add('RunStarted', null, started);
    for (const { event } of whole.sent) {
      if (types.some((type) => type === event.type) && event.stage === 1)
        some.sent.push({ stream: `run-${whole.run}`, event });
    }
    const { text, md } = await made(some);
    expect(text).toMatch(types.length === 0 ? /No stage has started/ : /Stage 1/);
    expect(`${text}${md}`).not.toMatch(/undefined|NaN|null|\[object/);
  });

  it('shows the first 20 changes in rows, and the rest in one line', async () => {
    const many = Array.from({ length: 30 }, (_, i) => ({
      knob: `k${i}`,
      family: null,
      from: 0,
      to: 30 - i,
      cites: null,
      reason: `reason ${i}`,
    }));
    const run = new Recording('busy');
    run.add('RunStarted', null, { name: 'busy', environment: { name: 'odd' } });
    const knobs = (of: 'from' | 'to') => Object.fromEntries(many.map((one) => [one.knob, one[of]]));
    addStage(run, 1, { knobs: knobs('from'), valid: { 3: 4 }, failures: { 3: { hole: 5 } }, signal: 0.5 });
    addProposal(run, 1, { knobs: knobs('to'), changes: many });
    const { text } = await made(run);
    expect(text).toContain('“reason 19”');
    expect(text).not.toContain('“reason 20”');
    expect(text).toMatch(/Also: k20 0 → 10, .*k29 0 → 1\./);
  });

  it('of a fork says what it shares, and verifies the parent as well', async () => {
    const [parent, fork] = [wholeRun(), new Recording('forked', Date.UTC(2026, 6, 2))];
    const shared = { run: parent.run, stage: 2, revision: 20, digest: 'a'.repeat(64) };
    const engineer = { name: 'uniform', reads: [] };
    fork.add('RunStarted', null, { name: 'forked', environment: { name: 'lake' }, engineer, parent: shared });
    const alone = await made(fork);
    expect(alone.text).toContain(
      'The run is a fork of k3v9q2m8x1tz from stage 2, but this ledger does not contain that history.',
    );
    fork.sent.unshift(...parent.sent);
    const { text } = await made(fork);
    expect(text).toContain('decides how the environment changes, without any context.');
    expect(text).toContain('It is a fork of quiet-otter and shares its first 2 stages.');
    expect(text).toContain('Stage 2, shared with its parent');
    expect(text).toContain('icecore verify forked --recompute\nicecore verify k3v9q2m8x1tz --recompute');
  });

  it('combines consecutive stages without changes', async () => {
    const run = new Recording('dull');
    run.add('RunStarted', null, { name: 'dull', environment: { name: 'lake' } });
    for (let stage = 1; stage <= 64; stage++) {
      addStage(run, stage, {
        knobs: evenly(sizes),
        valid: { 3: stage % 50, 4: 4 },
        failures: { 3: { hole: 5 } },
        signal: 0.5,
      });
    }
    const { text, html } = await made(run);
    expect(text).toContain('The first 4 decisions are shown only in the charts');
    expect(text).toContain('Stages 5 to 64');
    expect(html.length).toBeLessThan(500_000);
  });

  it('of any valid history is complete', async () => {
    const property = fc.asyncProperty(randomHistory(), async (world) => {
      await inLedger(world, async (ledger) => {
        for (const found of (await listRuns(ledger, { limit: 100 })).rows) {
          const read = await readRun(ledger, found);
          const report = await reportOf(ledger, read, {
            by: '0.1.0',
            at: '2026-07-02T08:00:00.000Z',
            all: true,
            textOf,
          });
          expect(schema.safeParse(JSON.parse(JSON.stringify(report))).error).toBeUndefined();
          expect(reportHtml(report) + markdownText(reportDocument(report))).not.toMatch(
            /NaN|undefined|\[object|Infinity/,
          );
        }
      });
    });
    await fc.assert(property, { numRuns: 2 });
  });

  it.each(hostileRuns().map((run) => [run.run, run] as const))('escapes every text of %s', async (_, run) => {
    const { html, md } = await made(run);
    const { document } = parseHTML(html);
    expect(document.querySelectorAll('script, img, iframe, object, embed')).toHaveLength(0);
    expect(document.querySelectorAll('head > style')).toHaveLength(1);
    expect(
      [...document.querySelectorAll('*')].filter((one) =>
        [...one.attributes].some(({ name }) => name.startsWith('on')),
      ),
    ).toEqual([]);
    expect(html.split('img/src').length).toBeGreaterThan(40);
    expect(`${html}${md}`).not.toContain('\u202e');
    const prose = md.replace(/(`+)[^`].*?[^`]\1(?!`)/gs, '');
    expect(prose).toContain('img/src');
    expect(prose).not.toMatch(/(?<!\\)<(img|script)/);
  });
});
