// The live feed in a browser: events in words, filters in the address, and a flood that never makes the page hang.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ndjson, type Sent } from '../../src/cli/testing/events.ts';
import { noteIn } from '../../src/ledger/contract/samples.ts';
import { type Browsing, browsing, hasChromium, recordedFolder, seriousFaults } from './browsing.ts';

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

  it('takes 2,000 events a second without a task over 100 ms, and keeps 2,000 of them', async () => {
    const { page, faults } = await browser.open('#/live');
    await page.getByText('Connected').waitFor();
    await page.locator('.feed tbody tr').first().waitFor();
    await page
      .context()
      .browser()
      ?.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
    // Ten times a second for five seconds, from outside of the browser.
    for (let i = 0; i < 50; i++) {
      const started = performance.now();
      await append(200);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - started))));
    }
    await page.getByText(`note ${sent - 1}`, { exact: true }).waitFor();
    const trace = await page.context().browser()?.stopTracing();
    const longest = longestTask(JSON.parse(String(trace)));
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(100);
    expect(await page.locator('.feed table').getAttribute('aria-rowcount')).toBe('2001');
    expect(await page.locator('.feed tbody tr').count()).toBeLessThan(250);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('stops following while its tab is hidden, and begins with the latest events when it is seen', async () => {
    const { page } = await browser.open('#/live?type=RunAnnotated');
    await page.getByText('Connected').waitFor();
    const hide = (isHidden: boolean): Promise<void> =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await hide(true);
    await page.getByText('Not following while this tab is hidden.').waitFor();
    await append(1);
    const last = `note ${sent - 1}`;
    expect(await page.getByText(last, { exact: true }).count()).toBe(0);
    await hide(false);
    await page.getByText(last, { exact: true }).waitFor();
    await page.context().close();
  });

  it('fits a phone, dark and with a screen reader', async () => {
    const { page, faults } = await browser.open('#/live', {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    await page.locator('.feed tbody tr').first().waitFor();
    const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(content).toBeLessThanOrEqual(width ?? 0);
    expect(await seriousFaults(page)).toEqual([]);
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

interface Trace {
  readonly traceEvents: readonly {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    readonly tdur?: number;
    readonly args?: { readonly name?: string };
  }[];
}

/**
 * In milliseconds of the processor. The Long Tasks API counts the time in which other programs had the processor, too, so that its
 * figures are those of the machine where many tests run at once.
 */
function longestTask({ traceEvents }: Trace): number {
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isMain = (pid: number, tid: number): boolean => threads.some((one) => one.pid === pid && one.tid === tid);
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && isMain(pid, tid));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000));
}
