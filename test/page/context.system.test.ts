// What an engineer saw, on a recorded run: modules, evidence ids, other forms beside it, and what became of the answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextResult } from '../../schemas/by-hand-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import { type Browsing, browsing, hasChromium, misfits, phone, recordedFolder, seriousFaults } from './browsing.ts';
import { literal } from './waiting.ts';

describe.skipIf(!hasChromium)('what an engineer saw', () => {
  let site: Browsing;
  let context: ContextResult;
  beforeAll(async () => {
    site = await browsing(recordedFolder());
    context = JSON.parse(site.icecore('context', 'first@3', '--json')) as ContextResult;
  }, 300_000);
  afterAll(async () => await site.close());

  it('is shown module by module, word for word, with its length and what was cut', async () => {
    const { page, faults } = await site.open('#/context/first@3');
    for (const { module, tokens } of context.modules ?? [])
      await page.getByRole('button', { name: `${module} ${tokens.toLocaleString('en')} tokens` }).waitFor();
    const shown = await page.locator('section.module pre').allTextContents();
    const lines = shown.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
    const given = context.text.text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('# '));
    expect(lines).toEqual(given);
    for (const { module, kept, dropped } of context.truncated)
      await page.getByText(`${module} shows ${kept} of ${kept + dropped}`).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('leads from a figure to its rollouts and to the changes that cite it', async () => {
    const why = JSON.parse(site.icecore('why', 'first@3', '--detail', '3', '--json')) as Why;
    const change = why.changes.find(({ evidence }) =>
      evidence.some(({ figure, counts }) => figure !== null && counts === true),
    );
    const cited = change?.evidence.find(({ figure, counts }) => figure !== null && counts === true);
    if (change === undefined || cited === undefined) throw new Error('no change of the recorded run cites a figure');
    const { page, faults } = await site.open('#/context/first@3');
    await page.getByRole('link', { name: new RegExp(`^${literal(cited.evidenceId)}: .*, cited$`) }).click();
    const panel = page.getByRole('complementary', { name: 'Evidence' });
    await panel.getByRole('heading', { name: cited.evidenceId }).waitFor();
    await page.reload();
    await panel.getByRole('link', { name: new RegExp(`^${literal(change.knob)} `) }).waitFor();
    await panel.getByRole('link', { name: 'Its rollouts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rollouts of first@2' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('leads from an example to its rollout', async () => {
    const { page, faults } = await site.open('#/context/first@3');
    await page.getByRole('link', { name: /^F1: / }).click();
    await page.getByRole('link', { name: /Open the rollout/ }).click();
    await page.getByRole('region', { name: 'Step by step' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('is compared with another form, side by side', async () => {
    const { page, faults } = await site.open('#/context/first@3?context=v1');
    await page.getByLabel('Beside it').selectOption('v4');
    await page.getByText('guideline in v4').waitFor();
    await page.getByText('This form does not have it.').first().waitFor();
    await page.getByText('objective is the same in both').waitFor();
    await page.reload();
    await page.getByText('guideline in v4').waitFor();
    expect(await page.locator('ins').count()).toBeGreaterThan(0);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('is followed by the answer and what became of it', async () => {
    const { page, faults } = await site.open('#/context/first@3');
    await page.getByRole('heading', { name: 'What became of it' }).waitFor();
    await page.getByText('Show the proposal').click();
    await page.getByRole('region', { name: 'The proposed configuration' }).waitFor();
    await page.getByRole('link', { name: /knobs? changed/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Why first@3' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('is nothing for stage 1, which is given', async () => {
    const { page, faults } = await site.open('#/context/first@1');
    await page.getByText('Stage 1 is given, not decided').waitFor();
    await page.getByRole('link', { name: 'stage 2', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'What the engineer saw for first@2' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('fits a phone, in the dark', async () => {
    for (const query of ['?id=F1', '?context=v1&with=v4']) {
      const { page, faults } = await site.open(`#/context/first@3${query}`, phone);
      await page.locator('pre').first().waitFor({ state: 'attached' });
      expect(await misfits(page)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });
});
