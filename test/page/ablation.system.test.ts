// Ablations in the browser: the list, what the data support, the matrix with its arms, and progress while one is under way.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsing, browsing, hasChromium, iceprogram, misfits, recordedFolder } from './browsing.ts';

describe.skipIf(!hasChromium)('ablations in the browser', () => {
  let browser: Browsing;
  let name = '';
  beforeAll(async () => {
    browser = await browsing(recordedFolder());
    name = (JSON.parse(browser.icecore('ablate', '--show', 'latest', '--json')) as { name: string }).name;
  });
  afterAll(async () => await browser?.close());

  it('are listed with their state, depth, arms and histories, and lead to one', async () => {
    const { page, faults } = await browser.open('#/ablations');
    const row = page.getByRole('row').filter({ hasText: name });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/completed.*first.*\d/);
    await row.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name: `Ablation ${name}` }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('say first what the data support, and the command that settles what they do not', async () => {
    const { page } = await browser.open(`#/ablation/${name}`);
    const shown = JSON.parse(browser.icecore('ablate', '--show', name, '--json')) as {
      conclusions: readonly string[];
      settle: { command: string } | null;
    };
    const conclusions = page.locator('.conclusions li');
    await expect.poll(async () => await conclusions.allTextContents()).toEqual(shown.conclusions);
    if (shown.settle !== null) await page.getByText(shown.settle.command).waitFor();
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(headings[0]).toBe('What the data support');
    await page.context().close();
  });

  it('every verdict has a mark and words', async () => {
    const { page } = await browser.open(`#/ablation/${name}`);
    const verdicts = page.locator('.verdict');
    await verdicts.first().waitFor();
    for (const verdict of await verdicts.allTextContents())
      expect(verdict).toMatch(
        /^(▲ significant: better|▼ significant: worse|\? inconclusive|= equivalent|✕ faulted|∅ nothing to test)$/,
      );
    await page.context().close();
  });

  it('an arm whose engineer can use nothing of its context has no figure', async () => {
    const { page } = await browser.open(`#/ablation/${name}`);
    await page.getByRole('link', { name: 'rules/stats: not applicable' }).waitFor();
    const row = page.getByRole('region', { name: 'Results per seed' }).getByRole('row', { name: /^rules\/stats/ });
    expect(await row.textContent()).toMatch(/^rules\/statsnot applicable–*$/);
    await page.context().close();
  });

  it('a cell of the matrix opens its arm with its decisions, by mouse and by keyboard, and the address keeps it', async () => {
    const { page, faults } = await browser.open(`#/ablation/${name}`);
    const cell = page.locator('.charts.matrix svg a').filter({ has: page.locator('[aria-label^="rules/failures"]') });
    await cell.click();
    const arm = page.getByRole('region', { name: /Arm rules\/failures/ });
    await arm.waitFor();
    expect(await page.evaluate('document.activeElement?.id')).toBe('arm-title');
    await arm.getByRole('link', { name: 'first@2' }).first().waitFor();
    await page.reload();
    await arm.waitFor();
    await arm.getByRole('button', { name: 'Close' }).click();
    await arm.waitFor({ state: 'detached' });
    await cell.focus();
    await page.keyboard.press('Enter');
    await arm.waitFor();
    await arm.getByRole('link', { name: 'first@2' }).first().click();
    await page.waitForURL(/#\/why\/first@2/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('the measure is chosen, in the address, and every figure says where it comes from', async () => {
    const { page } = await browser.open(`#/ablation/${name}`);
    const measure = page.getByLabel('Measure');
    await measure.waitFor();
    const names = await measure.locator('option').allTextContents();
    const other = names.at(-1) ?? '';
    await measure.selectOption(other);
    await expect.poll(() => new URL(page.url()).hash).toContain(`measure=${encodeURIComponent(other)}`);
    await page.reload();
    await page.getByRole('heading', { name: `Contrasts by ${other}` }).waitFor();
    await measure.selectOption(names[0] ?? '');
    await page.locator('button.figure').first().click();
    const menu = page.getByRole('menu');
    expect(await menu.textContent()).toContain('icecore ablate --show');
    await page.context().close();
  });

  it('one that is under way shows how far it is, and goes on by itself', { timeout: 180_000 }, async () => {
    const words = ['ablate', 'second', '--engineer', 'rules', '--context', 'failures', '--depth', 'propose', '--quiet'];
    const { page } = await browser.open('#/ablations');
    await page.getByRole('row').filter({ hasText: name }).waitFor();
    const before = await page.getByRole('row').count();
    const child = spawn(process.execPath, [iceprogram, ...words], { cwd: browser.cwd, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await expect.poll(async () => await page.getByRole('row').count()).toBe(before + 1);
    await ended;
    await expect
      .poll(async () => await page.getByRole('row').filter({ hasText: 'second' }).textContent())
      .toContain('completed');
    await page.context().close();
  });

  it('one that does not exist says so', async () => {
    const { page } = await browser.open('#/ablation/nothing');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('nothing');
    await page.context().close();
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('has no serious fault of accessibility and fits: %s, %i', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 800 } };
    for (const fragment of ['#/ablations', `#/ablation/${name}?arm=rules/failures`]) {
      const { page } = await browser.open(fragment, options);
      await page.locator('table:visible').first().waitFor();
      if (fragment.includes('arm')) await page.locator('.charts.matrix svg').first().waitFor();
      expect(await misfits(page)).toEqual([]);
      await page.context().close();
    }
  });
});
