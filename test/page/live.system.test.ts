// The live feed in a browser: events in words, filters in the address, and a flood that never makes the page hang.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ndjson, type Sent } from '../../src/cli/testing/events.ts';
import { noteIn } from '../../src/ledger/contract/samples.ts';
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

describe.skipIf(!hasChromium)('the live feed', () => {
  let browser: Browsing;
  let sent = 0;

  beforeAll(async () => {
    browser = await browsing(recordedFolder());
  }, 600_000);
  afterAll(async () => await browser?.close());

  async function append(count: number): Promise<void> {
    const stream = 'notes-alpha';
    const events: Sent[] = Array.from({ length: count }, (_, i) => ({ ...noteIn(stream, sent + i), stream }));
    sent += count;
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await fetch(`${browser.url}events`, { method: 'POST', headers, body: ndjson(events) });
    expect(await answer.text()).toContain(`"appended":${count}`);
  }

  it('shows the latest events in words, then each as it is recorded', async () => {
    const { page, faults } = await browser.open('#/live?type=StageCompleted&type=RunAnnotated');
    await page
      .getByText(/^stage 3 is complete: valid/)
      .first()
      .waitFor();
    await page.getByText('Connected').waitFor();
    browser.icecore('annotate', 'first', 'Look at the holes');
    const row = page.getByRole('row').filter({ hasText: 'Look at the holes' });
    await row.getByText('RunAnnotated').waitFor();
    await row.getByRole('link', { name: 'JSON' }).click();
    await page.getByRole('region', { name: 'The event as JSON' }).getByText('"note": "Look at the holes"').waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'The event as JSON' }).getByText('"note": "Look at the holes"').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'The whole event' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('follows one run, and only the types that are chosen', async () => {
    const { page, faults } = await browser.open('#/live');
    await page.getByRole('combobox', { name: 'Run' }).fill('second');
    await page.getByRole('combobox', { name: 'Run' }).press('Enter');
    await expect.poll(() => page.url()).toContain('run=second');
    await page.getByText('All types of events').click();
    await page.getByRole('checkbox', { name: 'StageCompleted' }).check();
    await expect.poll(() => page.url()).toContain('type=StageCompleted');
    const types = page.locator('.feed tbody td:nth-child(2)');
    await expect.poll(async () => [...new Set(await types.allInnerTexts())]).toEqual(['StageCompleted']);
    await page.reload();
    await expect.poll(() => types.count()).toBe(2);
    await page.getByRole('button', { name: 'All types' }).click();
    await expect.poll(() => page.url()).not.toContain('type=');
    expect(faults).toEqual([]);
    await page.goto(`${browser.url}ui/#/live?run=nobody`);
    await page
      .getByRole('alert')
      .getByText(/nobody/)
      .first()
      .waitFor();
    await page.context().close();
  });

  it('stays as it is while it is paused, and counts what is newer', async () => {
    const { page } = await browser.open('#/live?type=RunAnnotated');
    await page.getByText('Connected').waitFor();
    await append(1);
    await page.getByText('note 0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await append(3);
    await page.getByText('3 newer events').waitFor();
    expect(await page.getByText('note 3', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).press('Enter');
    await page.getByText('note 3', { exact: true }).waitFor();
    await page.context().close();
  });

  it('takes a flood of events, keeps the latest 2,000 and draws only those that are seen', async () => {
    const { page, faults } = await browser.open('#/live');
    await page.getByText('Connected').waitFor();
    await page.locator('.feed tbody tr').first().waitFor();
    for (let i = 0; i < 50; i++) await append(200);
    await page.getByText(`note ${sent - 1}`, { exact: true }).waitFor();
    expect(await page.locator('.feed table').getAttribute('aria-rowcount')).toBe('2001');
    expect(await page.locator('.feed tbody tr').count()).toBeLessThan(250);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('stops following while its tab is hidden, and begins with the latest events when it is seen', async () => {
    const { page } = await browser.open('#/live?type=RunAnnotated');
    await page.getByText('Connected').waitFor();
    await hide(page, true);
    await page.getByText('Not following while this tab is hidden.').waitFor();
    await append(1);
    const last = `note ${sent - 1}`;
    expect(await page.getByText(last, { exact: true }).count()).toBe(0);
    await hide(page, false);
    await page.getByText(last, { exact: true }).waitFor();
    await page.context().close();
  });

  it('fits a phone, dark and with a screen reader', async () => {
    const { page, faults } = await browser.open('#/live', phone);
    await page.locator('.feed tbody tr').first().waitFor();
    expect(await misfits(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says so while the server is away, and keeps what it has', async () => {
    const { page } = await browser.open('#/live');
    await page.locator('.feed tbody tr').first().waitFor();
    await page.getByText('Connected').waitFor();
    browser.server.kill();
    await page.getByText('The connection was lost; trying again.').waitFor();
    expect(await page.locator('.feed tbody tr').count()).toBeGreaterThan(0);
    await page.context().close();
  });
});
