// A report in a real browser: its requests, scripts and layout. Skipped without Chromium;
// ICECORE_CHROMIUM names one.
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { writeHostile } from '../../analysis/report/testing/hostile.ts';
import { openLedger } from '../../ledger/open.ts';
import { inFolder } from '../testing/harness.ts';

const executablePath =
  process.env['ICECORE_CHROMIUM'] ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path)) ??
  'no Chromium: ICECORE_CHROMIUM names one';
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const unasked = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

describe.skipIf(!existsSync(executablePath))(`a report in ${executablePath}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-report-'));
  const reports = new Map<string, string>();
  let browser: BrowserContext;

  beforeAll(async () => {
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await openLedger(url, { create: true });
    await wholeRun().writeTo(ledger);
    await writeHostile(ledger);
    await ledger.close();
    const look = inFolder(folder, { env: { ICECORE_LEDGER: url } });
    for (const run of ['k3v9q2m8x1tz', 'hostile-one', 'hostile-two'])
      reports.set(run, (await look('report', run)).stdout);
    const options = { executablePath, args: [...quiet, ...unasked] };
    browser = await chromium.launchPersistentContext(join(folder, 'profile'), options);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(run: string, added = ''): Promise<{ readonly page: Page; readonly asked: readonly string[] }> {
    const file = join(folder, `${run}.html`);
    writeFileSync(file, (reports.get(run) ?? '').replace('</main>', `${added}</main>`));
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, asked };
  }

  it.each(['hostile-one', 'hostile-two'])(
    'of the run %s makes no requests and contains no scripts or frames',
    async (run) => {
      const { page, asked } = await opened(run);
      expect(asked).toEqual([pathToFileURL(join(folder, `${run}.html`)).href]);
      expect(await page.title()).toContain('<script>');
      expect(await page.locator('script, img, iframe, object, embed, base').count()).toBe(0);
      expect(await page.locator('h1').isVisible()).toBe(true);
      await page.close();
    },
  );

  it('blocks injected scripts and requests by its content security policy', async () => {
    const reached: string[] = [];
    const server = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const there = `http://127.0.0.1:${port}/`;
    const added = `<script>document.title='ran'</script><img src="${there}image" onerror="document.title='ran'">
      <iframe src="${there}frame"></iframe><link rel="stylesheet" href="${there}style">`;
    const { page } = await opened('k3v9q2m8x1tz', added);
    expect(await page.locator('img').count()).toBe(1);
    expect(await page.title()).toBe('quiet-otter: icecore report');
    expect(reached).toEqual([]);
    await page.close();
    server.close();
  });

  it.each([1280, 700, 390])(
    'needs no horizontal scrolling at a width of %i, and shows each chart once',
    async (width) => {
      for (const run of ['k3v9q2m8x1tz', 'hostile-two']) {
        const { page } = await opened(run);
        await page.setViewportSize({ width, height: 800 });
        // The functions run in the page, where there is a document.
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        const charts = await page.locator('figure.chart').count();
        expect(charts).toBeGreaterThan(4);
        expect(await page.locator('figure.chart svg:visible').count()).toBe(charts);
        await page.close();
      }
    },
  );

  it('draws charts at the available width, and does not wrap dates', async () => {
    const { page } = await opened('k3v9q2m8x1tz');
    await page.setViewportSize({ width: 800, height: 800 });
    const chart = await page.locator('figure.chart svg:visible').first().boundingBox();
    expect(chart?.width).toBeGreaterThan(700);
    for (const width of [390, 365, 340]) {
      await page.setViewportSize({ width, height: 800 });
      const heights = '[...document.querySelectorAll(".moment")].map((one) => one.getClientRects().length)';
      expect(new Set((await page.evaluate(heights)) as number[])).toEqual(new Set([1]));
    }
    await page.close();
  });

  it('is dark with a dark colour scheme, and light in print', async () => {
    const { page } = await opened('k3v9q2m8x1tz');
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe('rgb(14, 23, 33)');
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.close();
  });
});
