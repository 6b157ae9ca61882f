import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { versionOf } from '../../../schemas/catalogue.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { registry } from '../../../testbed/testing/registry.ts';
import { digestOf } from '../../lab/environments/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { evidenceId, shownRun, summariesOf } from '../why/testing/evidence-run.ts';
import { made } from './testing/made.ts';

const inline = {
  size: 3,
  holes: [[1, 0]],
  agents: [
    { start: [2, 0], goal: [0, 0] },
    { start: [1, 1], goal: [1, 2] },
  ],
};
const task = { id: 'probe-1', digest: digestOf(inline), inline };
const other = { ...inline, holes: [[0, 1]] };
const otherTask = { id: 'probe-2', digest: digestOf(other), inline: other };
const version = openLake().descriptor.version;

/** Stage 2 is decided on the failed rollout F1, and solves its task. */
function replayed() {
  const run = shownRun({ change: { cites: ['F1'] }, version });
  const stream = `evidence-${run.run}-2-0-0`;
  run.add('EvidenceSealed', 2, { attempts: [{ stream, count: 1, root: 'a'.repeat(64) }] });
  return run;
}

async function addSolved(ledger: Ledger, run: string, rollout: Partial<EventData['RolloutRecorded']> = {}) {
  const data: EventData['RolloutRecorded'] = {
    ...{ environment: 'lake', split: 'probe', policy: 'neural', family: '8', outcome: 'valid', success: true, task },
    answer: ['RUULWW', 'R'],
    ...rollout,
  };
  const common = { at: '2026-07-01T13:00:00.000Z', actor: 'producer/rollouts', run, stage: 2, causes: [] };
  const event = { id: evidenceId(5), type: 'RolloutRecorded', version: versionOf('RolloutRecorded'), ...common, data };
  await ledger.append(`evidence-${run}-2-0-0`, [event as never], { expect: 'any' });
}

const lakes = { registry: async () => registry, withEvidence: { task } };

function imagesIn(html: string): readonly string[] {
  const images = parseHTML(html).document.querySelectorAll('img');
  return [...images].map((one) => {
    const [, content = ''] = /^data:image\/svg\+xml;base64,([\w+/=]+)$/.exec(one.getAttribute('src') ?? '') ?? [];
    return Buffer.from(content, 'base64').toString();
  });
}

describe('pictures of rollouts', () => {
  it('are drawn by the registered environment, from the recorded task and answer', async () => {
    const { report, html, text } = await made(shownRun({ change: { cites: ['F1'] }, version }), lakes);
    expect(report.pictures.map(({ rollout }) => rollout)).toEqual([evidenceId(1), evidenceId(3)]);
    const images = imagesIn(html);
    expect(images).toHaveLength(3);
    for (const svg of images) expect(svg).toMatch(/^<svg [\s\S]*hole a[\s\S]*<\/svg>/);
    expect(html.includes('<summary>In characters</summary>')).toBe(true);
    expect(text).not.toContain('<svg');
  });

  it.each([
    ['without a registry', {}, version],
    ['of another version of the environment', lakes, '0'],
    ['whose task was not recorded', { ...lakes, withEvidence: {} }, version],
    ['whose task the environment cannot read', { ...lakes, withEvidence: { task: { inline: { size: -1 } } } }, version],
  ])('%s are drawings in characters', async (_, options, version) => {
    const { report, html } = await made(shownRun({ version }), options);
    expect(report.pictures).toEqual([]);
    expect(imagesIn(html)).toEqual([]);
    expect(html.includes('<pre style="--columns:11">┌──┐')).toBe(true);
  });

  it('contain the text of a task only as text, never as markup', async () => {
    const id = `</title><script>alert(1)</script><image href="http://127.0.0.1:9/"/>`;
    const { html } = await made(shownRun({ change: { cites: ['F1'] }, version }), {
      ...lakes,
      withEvidence: { task: { ...task, id } },
    });
    for (const svg of imagesIn(html)) expect(svg).not.toMatch(/<script|<image/);
    const { document } = parseHTML(html);
    expect(document.querySelectorAll('script, iframe, object, embed, image, .drawing svg')).toHaveLength(0);
    for (const one of document.querySelectorAll('img'))
      expect(one.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/);
  });

  it('also show exemplars without a recorded drawing', async () => {
    const bare = summariesOf(4).map((one) => ({
      ...one,
      exemplars: one.exemplars.map(({ drawing: _, ...exemplar }) => exemplar),
    }));
    const run = shownRun({ summaries: bare, change: { cites: ['F1'] }, version });
    const { report } = await made(run, lakes);
    expect(report.pictures.map(({ rollout }) => rollout)).toContain(evidenceId(1));
  });
});

describe('the replay of a change', () => {
  it('animates the cited failure, and the same task solved after the change', async () => {
    const { report, html, text, md } = await made(replayed(), { ...lakes, also: addSolved });
    expect(report.replay).toMatchObject({
      ...{ stage: 2, family: '8', failed: evidenceId(1), solved: evidenceId(5), isSameTask: true },
    });
    expect(text).toContain('The same task after stage 2: solved, family 8');
    expect(md).toContain('The same task after stage 2: solved, family 8');
    expect(imagesIn(html).filter((svg) => svg.includes('@keyframes'))).toHaveLength(2);
  });

  it('takes another task of the family if the same task was not solved', async () => {
    const also = (ledger: Ledger, run: string) => addSolved(ledger, run, { task: otherTask });
    const { report, text } = await made(replayed(), { ...lakes, also });
    expect(report.replay?.isSameTask).toBe(false);
    expect(text).toContain('Another task of this family after stage 2: solved, family 8');
  });

  it.each([
    ['nothing was solved', { success: false, outcome: 'hole', failureClass: 'hole' }],
    ['only training tasks were solved', { split: 'train' as const }],
    ['only another family was solved', { family: '4', task: otherTask }],
  ])('is left out if %s', async (_, rollout) => {
    const also = (ledger: Ledger, run: string) => addSolved(ledger, run, rollout);
    const { report, html } = await made(replayed(), { ...lakes, also });
    expect(report.replay).toBeNull();
    expect(html.includes('In motion')).toBe(false);
  });

  it('is left out if evidence is missing', async () => {
    expect((await made(replayed(), lakes)).report.replay).toBeNull();
  });
});
