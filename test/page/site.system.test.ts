// `icecore report --site`: the page of one run, opened from disk as somebody who got the folder does, and a run whose texts are hostile.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeHostile } from '../../src/analysis/report/testing/hostile.ts';
import { inFolder } from '../../src/cli/testing/harness.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { chromiumPath, hasChromium, recordedFolder, seriousFaults } from './browsing.ts';

interface Opened {
  readonly page: Page;
  /** Errors of the console, and requests to anywhere but the folder. */
  readonly faults: readonly string[];
}

describe.skipIf(!hasChromium)('a run as a folder that opens from disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-site-'));
  const site = join(folder, 'site');
  let recorded = '';
  let browser: Browser;
  beforeAll(async () => {
    recorded = recordedFolder();
    const { code, stderr } = await inFolder(recorded)('report', 'first', '--site', site);
    expect(stderr).toContain('wrote ');
    expect(code).toBe(0);
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(
    fragment: string,
    from = site,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Opened> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    const base = `${pathToFileURL(from).href}/`;
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (fault) => faults.push(String(fault)));
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
    });
    await page.goto(`${base}index.html${fragment}`);
    await page.locator('main h1').first().waitFor();
    return { page, faults };
  }

  it('has these files and no others, and opens at the run', async () => {
    expect(readdirSync(site).sort()).toEqual(['data.js', 'icon.svg', 'index.html', 'page.css', 'page.js']);
    const { page, faults } = await open('');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/run/first');
    expect(await page.title()).toContain('first');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it.each(['#/run/first', '#/why/first@2', '#/why/first@3', '#/context/first@2'])(
    '%s asks nothing of the network',
    async (fragment) => {
      const { page, faults } = await open(fragment);
      await page.waitForLoadState('networkidle');
      expect(faults).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await page.context().close();
    },
  );

  it('has the answers of the server, without the place of the ledger', async () => {
    const { page } = await open('');
    const answers = await page.evaluate<Record<string, Record<string, unknown>>>('window.icecoreAnswers');
    const paths = Object.keys(answers);
    expect(paths).toEqual(
      expect.arrayContaining(['/runs/first', '/runs/first/report', '/runs/first%402/why?detail=4']),
    );
    expect(paths.filter((path) => path.startsWith('/rollouts/')).length).toBeGreaterThan(0);
    const ask = inFolder(recorded);
    const printed = async (...words: readonly string[]) => JSON.parse((await ask(...words, '--json')).stdout) as object;
    const known = answers['/runs/first']?.['ledger'];
    expect(answers['/runs/first']).toEqual({ ...(await printed('show', 'first')), ledger: known });
    expect(answers['/runs/first%402/why?detail=4']).toEqual({
      ...(await printed('why', 'first@2', '--detail', '4')),
      ledger: known,
    });
    expect(readFileSync(join(site, 'data.js'), 'utf8')).not.toContain(recorded);
    await page.context().close();
  });

  it.each(['#/run/first', '#/why/first@2'])(
    '%s says once that what came after a change need not come from it',
    async (fragment) => {
      const { page } = await open(fragment);
      const note = page.getByText('Afterwards does not mean because of it');
      await note.waitFor();
      expect(await note.count()).toBe(1);
      await page.context().close();
    },
  );

  it('shows the cited rollouts', async () => {
    const { page, faults } = await open('#/run/first');
    const paths = await page.evaluate<readonly string[]>('Object.keys(window.icecoreAnswers)');
    const rollout = paths.find((path) => path.startsWith('/rollouts/')) ?? '';
    await page.evaluate((hash) => window.location.assign(hash), `#${rollout.replace('rollouts', 'rollout')}`);
    await page.waitForURL(/#\/rollout\//);
    await page.locator('main img').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says of a view that needs a server what to type', async () => {
    const { page, faults } = await open('#/run/first');
    expect(await page.getByRole('link', { name: 'SQL' }).count()).toBe(0);
    await page.evaluate("location.hash = '#/sql'");
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('icecore serve');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('has no serious fault of accessibility: %s, %i', async (colorScheme, width) => {
    const { page } = await open('#/run/first', site, { colorScheme, viewport: { width, height: 800 } });
    expect(await seriousFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('replaces a site of the same run, and nothing else', async () => {
    const icecore = inFolder(recorded);
    expect(await icecore('report', 'first', '--site', site)).toMatchObject({ code: 0 });
    expect(await icecore('report', 'second', '--site', site)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is no site of this run'),
    });
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'index.html'), 'mine');
    expect(await icecore('report', 'first', '--site', other)).toMatchObject({ code: 1 });
    expect(readdirSync(other)).toEqual(['index.html']);
    expect(readFileSync(join(other, 'index.html'), 'utf8')).toBe('mine');
    expect(await icecore('report', 'first', '--site', join(other, 'index.html'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a file'),
    });
    expect(await icecore('report', 'first', '--site', other, '--output', 'a.html')).toMatchObject({ code: 2 });
  });

  it('writes through no link that somebody left in the folder', async () => {
    const linked = join(folder, 'linked');
    expect(await inFolder(recorded)('report', 'first', '--site', linked)).toMatchObject({ code: 0 });
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'mine');
    rmSync(join(linked, 'data.js'));
    symlinkSync(precious, join(linked, 'data.js'));
    expect(await inFolder(recorded)('report', 'first', '--site', linked)).toMatchObject({ code: 0 });
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });

  it.each(['hostile-one', 'hostile-two'])('of %s runs no text of the run', async (run) => {
    const place = join(folder, `place-${run}`);
    mkdirSync(place);
    const url = `sqlite:${join(place, 'ledger.db')}`;
    const ledger = await openLedger(url, { create: true });
    await writeHostile(ledger);
    await ledger.close();
    const to = join(place, 'site');
    const ran = await inFolder(place, { env: { ICECORE_LEDGER: url } })('report', run, '--site', to);
    expect(ran).toMatchObject({ code: 0 });
    expect(readdirSync(place).filter((name) => !name.startsWith('ledger'))).toEqual(['site']);
    const { page, faults } = await open('', to);
    await expect.poll(() => new URL(page.url()).hash).toContain('#/run/');
    expect(await page.title()).toContain('icecore');
    expect(await page.locator('main script, main iframe, main style:not(svg style)').count()).toBe(0);
    expect(faults.filter((fault) => /Content Security Policy|asked /.test(fault))).toEqual([]);
    await page.context().close();
  });
});
