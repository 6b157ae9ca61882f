// The rollouts of a recorded run: filters, pages, a gallery, and one rollout played step by step.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsing, browsing, hasChromium, misfits, phone, recordedFolder, seriousFaults } from './browsing.ts';
import { patient } from './waiting.ts';

describe.skipIf(!hasChromium)('rollouts', () => {
  let site: Browsing;
  beforeAll(async () => {
    site = await browsing(recordedFolder());
  }, 300_000);
  afterAll(async () => await site.close());

  const rows = (query: string): readonly Record<string, unknown>[] =>
    (JSON.parse(site.icecore('sql', query, '--json')) as { rows: Record<string, unknown>[] }).rows;

  const failed = (): { id: string; step: number } => {
    const [row] = rows(
      "SELECT r.id, f.step FROM rollouts AS r JOIN failures AS f ON f.rollout = r.id AND f.position = 1 WHERE r.run = 'first' " +
        "AND r.stage = 2 AND r.split = 'probe' AND NOT r.success AND f.step BETWEEN 2 AND 6 ORDER BY r.stream, r.revision LIMIT 1",
    );
    if (row === undefined) throw new Error('no probe of the recorded run failed');
    return { id: String(row['id']), step: Number(row['step']) };
  };

  it('are filtered by what is recorded, and the address restores the filter', async () => {
    const { page, faults } = await site.open('#/rollouts/first@2');
    const [{ all, failed: unsolved, family } = {}] = rows(
      "SELECT count(*) AS all, count(*) FILTER (NOT success AND family = '8') AS failed, '8' AS family FROM rollouts WHERE run = 'first' AND stage = 2",
    );
    await page.getByRole('button', { name: `${Number(all).toLocaleString('en')} rollouts` }).waitFor();
    await page.getByLabel('Family').selectOption(String(family));
    await page.getByLabel('Solved').selectOption('false');
    await page.getByRole('button', { name: `${Number(unsolved).toLocaleString('en')} rollouts` }).waitFor();
    await expect.poll(() => page.locator('a.open').count(), patient).toBe(Math.min(100, Number(unsolved)));
    await page.reload();
    await page.getByRole('button', { name: `${Number(unsolved).toLocaleString('en')} rollouts` }).waitFor();
    expect(await page.getByLabel('Family').inputValue()).toBe('8');
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('have pages that lead back to the same rows', async () => {
    const { page, faults } = await site.open('#/rollouts/first@2');
    const firstRow = (): Promise<string | null> => page.locator('a.open').first().getAttribute('href');
    await page.getByText(/^1–100 of/).waitFor();
    const first = await firstRow();
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByText(/^101–200 of/).waitFor();
    const second = await firstRow();
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByText(/^201–300 of/).waitFor();
    await page.reload();
    await page.getByText(/^201–300 of/).waitFor();
    await page.getByRole('link', { name: '← Previous' }).click();
    await page.getByText(/^101–200 of/).waitFor();
    expect(await firstRow()).toBe(second);
    await page.getByRole('link', { name: '← Previous' }).click();
    await page.getByText(/^1–100 of/).waitFor();
    expect(await firstRow()).toBe(first);
    expect(faults).toEqual([]);
  });

  it('are opened by the keyboard, and followed within the filter', async () => {
    const { page, faults } = await site.open('#/rollouts/first@2?split=probe&success=false');
    await page.locator('a.open').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText(/^2 of \d/).waitFor();
    const second = page.url();
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByText(/^3 of \d/).waitFor();
    await page.getByRole('link', { name: '← Previous' }).click();
    await page.getByText(/^2 of \d/).waitFor();
    expect(new URL(page.url()).hash.split('?')[0]).toBe(new URL(second).hash.split('?')[0]);
    await page.getByRole('link', { name: /^↑ Rollouts of first@2: probe, not solved/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Rollouts of first@2' }).waitFor();
    expect(await page.getByLabel('Split').inputValue()).toBe('probe');
    expect(faults).toEqual([]);
  });

  it('are drawn in a gallery', async () => {
    const { page, faults } = await site.open('#/rollouts/first@2?split=probe&family=3');
    await page.getByRole('button', { name: 'Gallery' }).click();
    await page.locator('ul.gallery img').first().waitFor();
    await page.reload();
    await page.locator('ul.gallery img').first().waitFor();
    expect(await page.getByRole('button', { name: 'Gallery' }).getAttribute('aria-pressed')).toBe('true');
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('say what to do where there are none', async () => {
    const { page } = await site.open('#/rollouts/first@2?family=nowhere');
    await page.getByText('Clear a filter').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('a.open').first().waitFor();
  });

  it('are played step by step beside a best answer, from the failure on', async () => {
    const { id, step } = failed();
    const { page, faults } = await site.open(`#/rollout/${id}`);
    const player = page.getByRole('region', { name: 'Step by step' });
    await player.getByRole('img', { name: /^A best answer/ }).waitFor();
    const slider = player.getByRole('slider', { name: 'Step' });
    expect(await slider.inputValue()).toBe(String(step));
    await player.getByText(`✗ step ${step}:`).waitFor();
    await slider.fill('0');
    await player.getByRole('img', { name: 'The rollout, start' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => new URL(page.url()).hash, patient).toContain('step=1');
    await page.reload();
    await expect.poll(() => slider.inputValue(), patient).toBe('1');
    await player.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => Number(await slider.inputValue()), patient).toBeGreaterThan(1);
    await player.getByRole('button', { name: `Failure in step ${step}` }).click();
    await expect.poll(() => slider.inputValue(), patient).toBe(String(step));
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('answer to the arrow keys before anything has the focus, and do not play by themselves', async () => {
    const { id, step } = failed();
    const { page } = await site.open(`#/rollout/${id}?step=${step}`, { reducedMotion: 'reduce' });
    const slider = page.getByRole('slider', { name: 'Step' });
    await slider.waitFor();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => slider.inputValue(), patient).toBe(String(step - 1));
    await expect.poll(() => new URL(page.url()).hash, patient).toContain(`step=${step - 1}`);
    await page.getByRole('button', { name: 'Play' }).waitFor();
  });

  it('show the task, the event as it is recorded, and its proof', async () => {
    const { id } = failed();
    const { page, faults } = await site.open(`#/rollout/${id}`);
    await page.getByText('number of holes').waitFor();
    await page.getByText('The event as it is recorded').click();
    await page.getByRole('region', { name: 'The event' }).getByText(id).waitFor();
    await page.getByRole('button', { name: 'Prove that it is in the ledger' }).click();
    await page.getByText(/^The event is number [\d,]+ of [\d,]+ in its sealed attempt/).waitFor();
    await page.getByText(`icecore ledger prove ${id} > proof.json`).waitFor();
    expect(faults).toEqual([]);
  });

  it('fit a phone, in the dark', async () => {
    const { id } = failed();
    for (const fragment of ['#/rollouts/first@2', '#/rollouts/first@2?mode=gallery', `#/rollout/${id}?in=first@2`]) {
      const { page, faults } = await site.open(fragment, phone);
      await page.locator('a.open, .player').first().waitFor();
      expect(await misfits(page)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });
});
