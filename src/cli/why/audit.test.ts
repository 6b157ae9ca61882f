import { describe, expect, it } from 'vitest';
import {
  addStage,
  configurationOf,
  evenly,
  Recording,
  sizes,
  wholeRun,
} from '../../analysis/history/testing/recording.ts';
import { shownRun, writeEvidence } from '../../analysis/why/testing/evidence-run.ts';
import { placeWhere, placeWith } from '../runs/testing/looking.ts';
import { json, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

describe('icecore audit', () => {
  it('lists every change with its reason, whether the citation holds, and the effect with intervals', async () => {
    const { look } = await placeWhere(async (ledger) => {
      const recording = shownRun();
      await recording.writeTo(ledger);
      await writeEvidence(ledger, recording.run);
    });
    const { code, stdout, stderr } = await look('audit');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines(stdout)[0]).toBe('shown-run: 1 decision, 1 change, 1 with evidence about the changed family');
    expect(stdout).toMatch(
      /^ +2 +8\.hole +0\.3 → 0\.2 +holds: B8\.valid FC8\.hole +20 \[13, 29\] → 40 \[31, 50\], \+20 \* +Too hard\.$/m,
    );
  });

  it('lists decisions that changed nothing, and changes without evidence', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('audit', 'quiet-otter');
    expect(lines(stdout)[0]).toMatch(
      /^quiet-otter: 2 decisions, 4 changes, \d with evidence about the changed family$/,
    );
    expect(stdout).toMatch(/^ +3 +kept: the answer of gpt was rejected +0 /m);
    expect(stdout).toMatch(
      /^ +2 +3\.data +0\.4 → 0\.2 +no evidence cited +80 \[71, 87\] → 82 \[73, 88\], \+2 +none given$/m,
    );
    expect(lines((await look('audit', 'quiet-otter@2')).stdout)[0]).toMatch(/^quiet-otter: 1 decision, 4 changes/);
  });

  it('lists clamped values, like `why`', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('audit', 'quiet-otter');
    expect(stdout).toContain('stage 2: 5.hole clamped: 0.18 was proposed, 0.2 is used (step)');
    const clamp = { knob: '5.hole', family: '5', proposed: 0.18, used: 0.2, rule: 'step' };
    expect(json(await look('audit', 'quiet-otter@2', '--json'))).toMatchObject({ decisions: [{ clamps: [clamp] }] });
    expect((await look('why', 'quiet-otter@2')).stdout).toContain(
      'Clamped, proposed → used: 5.hole 0.18 → 0.2 (step).',
    );
  });

  it('omits a proposal that was not adopted, which show prints as such', async () => {
    const recording = new Recording('waiting00000');
    recording.add('RunStarted', null, { name: 'waiting', environment: { name: 'lake' } });
    const knobs = evenly(sizes);
    addStage(recording, 1, { knobs, valid: { 3: 10 }, failures: {}, signal: 0.1 });
    recording.add('ProposalRecorded', 1, {
      ...{ engineer: { name: 'gpt' }, context: null, configuration: configurationOf({ ...knobs, '5.hole': 0.2 }) },
      ...{ kept: null, clamps: [], rationale: null, predictions: null },
      changes: [{ knob: '5.hole', family: '5', from: 0.1, to: 0.2, cites: null, reason: null }],
    });
    const { look } = await placeWith(recording);
    const { stdout } = await look('audit', 'waiting');
    expect(stdout).toBe(
      'waiting: 0 decisions, 0 changes, 0 with evidence about the changed family\n\nNo decision is recorded yet.\n',
    );
    expect((await look('show', 'waiting')).stdout).toContain('proposed by gpt, not adopted: 5.hole 0.1 → 0.2');
    const why = (await look('why', 'waiting@2')).stdout;
    expect(why).toContain('Stage 2 has not begun. Before it, all families: valid 10 % on validation.');
    expect(why).not.toContain('After training');
  });

  it('reports which decisions of a fork are shared history of its parent', async () => {
    const parent = wholeRun();
    const fork = new Recording('forked');
    fork.add('RunStarted', null, {
      ...{ name: 'forked', environment: { name: 'lake' } },
      parent: { run: parent.run, stage: 2, revision: parent.sent.length - 1, digest: 'c'.repeat(64) },
    });
    const { look } = await placeWith(parent, fork);
    const { stdout } = await look('audit', 'forked');
    expect(stdout).toContain(
      'Of these, 2 decisions with 4 changes (stage 2, 3) are shared history, recorded by quiet-otter.',
    );
    expect((await look('audit', 'quiet-otter')).stdout).not.toContain('shared history');
    const verified = await look('verify', 'forked');
    expect(verified.stdout).toContain(
      'not checked: stages 1 to 2, which it shares with quiet-otter: icecore verify quiet-otter',
    );
    const report = json(await look('verify', 'forked', '--json'));
    expect(faultsAgainst('verify', report)).toEqual([]);
    expect(report).toMatchObject({ shared: { name: 'quiet-otter', stages: 2 } });
  });

  it('gives for each change the same reason and citation status as `why`', async () => {
    const { look } = await placeWith(wholeRun());
    const whole = json(await look('audit', '--json'));
    expect(faultsAgainst('audit', whole)).toEqual([]);
    const { changes } = whole as { readonly changes: readonly { readonly stage: number; readonly knob: string }[] };
    const why = json(await look('why', 'latest@2', '--json')) as {
      readonly changes: readonly { readonly knob: string; readonly restsOn: string; readonly says: string | null }[];
    };
    expect(changes).toMatchObject(
      why.changes.map(({ knob, restsOn, says }) => ({ stage: 2, knob, restsOn, reason: says })),
    );
  });

  it('prints two Markdown tables with --format md', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('audit', '--format', 'md');
    expect(stdout).toContain('| stage | decided by | changes |');
    expect(stdout).toContain('| stage | knob | change | citation | valid % | reason |');
    expect(await look('audit', '--format', 'md', '--json')).toMatchObject({ code: 2 });
  });
});
