// A run and a stage of it in a browser: the story, charts that lead on, and a view that follows what is recorded.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browsing,
  browsing,
  hasChromium,
  hide,
  misfits,
  phone,
  recordedFolder,
  seriousFaults,
} from './browsing.ts';

describe.skipIf(!hasChromium)('a run', () => {
  let browser: Browsing;

  beforeAll(async () => {
    browser = await browsing(recordedFolder());
  }, 600_000);
  afterAll(async () => await browser?.close());

  it('opens on its figures and its story, with reasons, effects and drawn failures', async () => {
    const { page, faults } = await browser.open('#/run/first');
    await page.getByRole('heading', { level: 1, name: 'first' }).waitFor();
    await page.getByText('3 of 3').waitFor();
    const story = page.getByRole('region', { name: 'What happened, and why' });
    expect(await story.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['Stage 1', 'Stage 2', 'Stage 3']);
    const changes = story.getByRole('region', { name: 'Changes for stage 2' });
    await changes.getByRole('columnheader', { name: 'reason' }).waitFor();
    await changes
      .getByText(/points/)
      .first()
      .waitFor();
    expect(await story.getByText('Afterwards does not mean because of it').count()).toBe(1);
    await story
      .getByRole('list', { name: /Failures that the decision for stage 2 cites/ })
      .getByRole('img')
      .first()
      .waitFor();
    await story.getByRole('link', { name: 'Why stage 2' }).click();
    await expect.poll(() => page.url()).toContain('#/why/first@2');
    await page.goBack();
    await page.getByText('icecore verify first --recompute').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('has charts whose cells lead to rollouts, stages and reasons, one stop of the Tab key each', async () => {
    const { page, faults } = await browser.open('#/run/first');
    const knobs = page.getByRole('group', { name: 'The configuration: knobs by family over stages' });
    await knobs.waitFor();
    expect(await knobs.locator('a[tabindex="0"]').count()).toBe(1);
    expect(await seriousFaults(page)).toEqual([]);
    const mastery = page.getByRole('group', { name: /^What it mastered/ });
    await mastery.getByRole('link', { name: /^after stage 2, family 3/ }).click();
    await expect.poll(() => page.url()).toContain('#/rollouts/first@2?split=validation&family=3');
    await page.goBack();
    await knobs.getByRole('link', { name: /^stage 1: 3\.data/ }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(
      /^stage 2: 3\.data is/,
    );
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/why/first@2?knob=3.data');
    await page.goBack();
    await page
      .getByRole('group', { name: /^The curriculum/ })
      .getByRole('link', { name: '3', exact: true })
      .first()
      .click();
    await expect.poll(() => page.url()).toMatch(/#\/run\/first@3$/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows one stage with its decision, evaluations, failures and training, and leads to its neighbours', async () => {
    const { page, faults } = await browser.open('#/run/first@2');
    await page.getByRole('heading', { level: 1, name: 'first, stage 2' }).waitFor();
    await page
      .getByRole('region', { name: 'validation', exact: true })
      .getByRole('rowheader', { name: '10' })
      .waitFor();
    await page.getByRole('region', { name: 'Learning signal by family' }).waitFor();
    await page.getByRole('region', { name: 'Failures by family' }).getByRole('link').first().click();
    await expect.poll(() => page.url()).toMatch(/#\/rollouts\/first@2\?split=probe&family=.*&failure_class=/);
    await page.goBack();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Stage 3 →' }).click();
    await page.getByRole('heading', { level: 1, name: 'first, stage 3' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'The whole run' }).click();
    await page.getByRole('heading', { level: 1, name: 'first', exact: true }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows a note as soon as somebody writes it', async () => {
    const { page } = await browser.open('#/run/second');
    await page.getByText('Nobody has written a note.').waitFor();
    browser.icecore('annotate', 'second@2', 'The signal is low here');
    await page.getByRole('region', { name: 'Notes' }).getByText('The signal is low here').waitFor();
    await page.context().close();
  });

  it('holds no connection while its tab is hidden, and shows what was recorded meanwhile when it is seen', async () => {
    const { page } = await browser.open('#/run/first');
    await page.locator('main h2').first().waitFor();
    await expect.poll(() => liveClients(browser.url)).toBe(1);
    await hide(page, true);
    await expect.poll(() => liveClients(browser.url)).toBe(0);
    browser.icecore('annotate', 'first', 'Written while nobody looked');
    await hide(page, false);
    await page.getByText('Written while nobody looked').first().waitFor();
    await page.context().close();
  });

  it('says what is missing where there is no such run', async () => {
    const { page } = await browser.open('#/run/nobody');
    await page.getByRole('heading', { level: 1, name: 'nobody' }).waitFor();
    await page
      .getByRole('alert')
      .getByText(/nobody/)
      .first()
      .waitFor();
    await page.context().close();
  });

  it.each(['#/run/first', '#/run/first@2'])('%s fits a phone, dark and with a screen reader', async (fragment) => {
    const { page, faults } = await browser.open(fragment, phone);
    await page
      .locator(fragment.includes('@') ? '#training' : 'figure.chart svg')
      .first()
      .waitFor();
    expect(await misfits(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('that another program recorded offers no commands that need a run of icecore', async () => {
    const file = join(browser.cwd, 'log.ndjson');
    const config = { run: 'theirs', stage: 1, config: { lr: 1 } };
    const rollout = { run: 'theirs', stage: 1, success: true, split: 'validation', task: 'one' };
    writeFileSync(file, [config, rollout].map((line) => JSON.stringify(line)).join('\n'));
    browser.icecore('import', 'ndjson', file);
    const { page, faults } = await browser.open('#/run/theirs');
    const commands = page.getByRole('region', { name: 'Commands' }).locator('code');
    await commands.first().waitFor();
    expect(await commands.allInnerTexts()).toEqual([
      'icecore show theirs',
      'icecore why theirs@1',
      'icecore report theirs',
      'icecore verify theirs',
    ]);
    await page.getByRole('link', { name: 'Adopt' }).click();
    await page.getByText(/^Nothing can be decided now: another program recorded theirs/).waitFor();
    expect(await page.getByText('icecore fork').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

async function liveClients(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}metrics`)).text();
  return Number(/^icecore_live_clients (\d+)$/m.exec(metrics)?.[1]);
}
