// The page with a history that somebody else wrote: every text in it is markup, a script or a control character. And a server that goes
// away and comes back, and events that are redacted under an open view.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeHostile } from '../../src/analysis/report/testing/hostile.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { type Browsing, browsing, hasChromium, iceprogram } from './browsing.ts';

describe.skipIf(!hasChromium)('the page over a hostile history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-page-hostile-'));
  let browser: Browsing;

  beforeAll(async () => {
    mkdirSync(join(folder, '.icecore'));
    const ledger = await openLedger(`sqlite:${join(folder, '.icecore', 'ledger.db')}`, { create: true });
    await writeHostile(ledger);
    await ledger.close();
    browser = await browsing(folder);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    '#/',
    '#/run/hostile-one',
    '#/run/hostile-two@2',
    '#/why/hostile-two@2',
    '#/why/hostile-one@2',
    '#/rollouts/hostile-two',
    '#/context/hostile-two@2',
    '#/compare?run=hostile-one&run=hostile-two',
    '#/ablations',
    '#/adopt/hostile-one',
    '#/live',
    `#/sql?q=${encodeURIComponent('SELECT * FROM runs')}`,
  ])('%s runs nothing, asks nobody else, and shows the texts as they are', async (fragment) => {
    const { page, faults } = await browser.open(fragment);
    await page.locator('main h1, main [role=alert]').first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    expect(await page.title()).toContain('icecore');
    expect(await page.locator('main script, main iframe, main link, main style:not(svg style)').count()).toBe(0);
    const images = await page.locator('main img').evaluateAll((all) => all.map((one) => (one as HTMLImageElement).src));
    expect(images.filter((source) => !source.startsWith('data:image/svg+xml'))).toEqual([]);
    expect(faults.filter((fault) => /Content Security Policy|asked /.test(fault))).toEqual([]);
    await page.context().close();
  });

  it('names that are no names lead nowhere', async () => {
    for (const fragment of [
      '#/run/..%2f..%2fetc',
      '#/rollout/<script>',
      '#/why/%00',
      '#/nowhere',
      '#/ablation/%E0%A4%A',
    ]) {
      const { page } = await browser.open(fragment);
      await page.locator('[role=alert]').first().waitFor();
      expect(await page.title()).toContain('icecore');
      await page.context().close();
    }
  });
});

describe.skipIf(!hasChromium)('a view', () => {
  it('keeps what it shows while the server is away, and continues by itself when it is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-page-away-'));
    mkdirSync(join(folder, '.icecore'));
    const ledger = await openLedger(`sqlite:${join(folder, '.icecore', 'ledger.db')}`, { create: true });
    await writeHostile(ledger);
    await ledger.close();
    const browser = await browsing(folder);
    try {
      const { page } = await browser.open('#/');
      await page.locator('main tbody tr').first().waitFor();
      browser.server.kill();
      await once(browser.server, 'exit');
      await page.locator('nav a', { hasText: 'Ablations' }).click();
      await page.locator('[role=alert], [role=status]', { hasText: 'does not answer' }).first().waitFor();
      const { port } = new URL(browser.url);
      const again = spawn(process.execPath, [iceprogram, 'serve', '--port', port, '--quiet'], {
        cwd: browser.cwd,
        stdio: 'ignore',
      });
      try {
        await page.locator('[role=alert]').first().waitFor({ state: 'detached' });
        await page.locator('nav a', { hasText: 'Runs' }).click();
        await page.locator('main tbody tr').first().waitFor();
      } finally {
        again.kill();
        await once(again, 'exit');
      }
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
