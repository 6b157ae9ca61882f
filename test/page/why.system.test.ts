// The view Why on a recorded run: from each change to its evidence, to the rollouts behind it, and on to the effect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Why } from '../../schemas/why-output.ts';
import { type Browsing, browsing, hasChromium, misfits, phone, recordedFolder, seriousFaults } from './browsing.ts';
import { literal, patient } from './waiting.ts';

describe.skipIf(!hasChromium)('why a stage was configured as it was', () => {
  let site: Browsing;
  let why: Why;
  beforeAll(async () => {
    site = await browsing(recordedFolder());
    why = JSON.parse(site.icecore('why', 'first@3', '--detail', '4', '--json')) as Why;
  }, 300_000);
  afterAll(async () => await site.close());

  it('shows every change with its reason, its evidence and its effect', async () => {
    const { page, faults } = await site.open('#/why/first@3?open=all');
    await page.getByRole('heading', { level: 1, name: 'Why first@3' }).waitFor();
    expect(why.changes.length).toBeGreaterThan(0);
    for (const { knob, says, evidence } of why.changes) {
      const change = page.getByRole('article', { name: new RegExp(`^${literal(knob)} `) });
      await change.getByRole('heading', { name: knob }).waitFor();
      if (says !== null) await change.getByText(says, { exact: true }).waitFor();
      for (const { evidenceId } of evidence)
        await change.getByRole('link', { name: evidenceId, exact: true }).first().waitFor();
    }
    const [family] = why.changes.map((change) => change.family);
    await page.getByRole('region', { name: `Afterwards, family ${family}` }).waitFor();
    expect(await page.getByText('Afterwards does not mean because of it').count()).toBe(1);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('leads from a figure to its rollouts, its command and its SQL', async () => {
    const { page, faults } = await site.open('#/why/first@3?open=all');
    await page.locator('ul.evidence button.figure').first().click();
    const menu = page.getByRole('menu');
    await menu.getByRole('menuitem', { name: /^Copy SQL SELECT/ }).waitFor();
    const sql = (await menu.locator('code').last().textContent()) ?? '';
    const [row] = (JSON.parse(site.icecore('sql', sql, '--json')) as { rows: unknown[] }).rows;
    const figure = why.changes[0]?.evidence[0]?.figure;
    expect(row).toMatchObject({ measure: figure?.measure, value: figure?.value });
    await menu.getByRole('menuitem', { name: 'See its rollouts' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Rollouts of first@2' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('opens a drawn rollout behind the evidence', async () => {
    const drawn = why.changes.find(({ evidence }) => evidence.some(({ exemplars }) => exemplars.length > 0));
    if (drawn === undefined) throw new Error('no change of the recorded run leads to a rollout');
    const { page, faults } = await site.open(`#/why/first@3?knob=${drawn.knob}`);
    const exemplar = page.locator('ul.exemplars a').first();
    await exemplar.getByRole('img').waitFor();
    await exemplar.click();
    await page.getByRole('region', { name: 'Step by step' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Why first@3' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('keeps the filter and what is unfolded in its address', async () => {
    const { page } = await site.open('#/why/first@3?open=none');
    const [first] = why.changes;
    const knob = first?.knob ?? '';
    const details = page
      .getByRole('article', { name: new RegExp(`^${literal(knob)} `) })
      .locator('details')
      .first();
    expect(await details.evaluate((one: HTMLDetailsElement) => one.open)).toBe(false);
    await details.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash, patient).toContain(`open=${knob}`);
    await page.reload();
    await page.locator('ul.evidence').first().waitFor();
    expect(await page.locator('ul.evidence').count()).toBe(1);
    await page.getByLabel('Knob or family').selectOption(knob);
    await expect.poll(() => page.getByRole('article').count(), patient).toBe(1);
    await page.reload();
    await expect.poll(() => page.getByRole('article').count(), patient).toBe(1);
    expect(await page.getByLabel('Knob or family').inputValue()).toBe(knob);
  });

  it('goes from stage to stage; the first is given, not decided', async () => {
    const { page, faults } = await site.open('#/why/first@3');
    await page.getByRole('link', { name: '← Stage 2' }).click();
    await page.getByRole('heading', { level: 1, name: 'Why first@2' }).waitFor();
    await page.getByLabel('Stage', { exact: true }).selectOption('1');
    await page.getByText('Given, not decided').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Why first@2' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('says that a knob did not change, and since when', async () => {
    const changed = new Set(why.changes.map(({ knob }) => knob));
    const { knobs } = JSON.parse(site.icecore('show', 'first@3', '--json')) as { knobs: { knob: string }[] };
    const stays = knobs.find(({ knob }) => !changed.has(knob))?.knob ?? '';
    const { page } = await site.open(`#/why/first@3?knob=${stays}`);
    await page.getByText(`${stays} stays at`).waitFor();
  });

  it('fits a phone, in the dark', async () => {
    const { page, faults } = await site.open('#/why/first@3?open=all', phone);
    await page.locator('ul.evidence').first().waitFor();
    expect(await misfits(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
