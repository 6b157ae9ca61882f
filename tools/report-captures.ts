// Takes the screenshots of docs/report: `node tools/report-captures.ts REPORT.html [ABLATION.html]`, with a report of the run that `npm run
// demo` makes, and the page of the ablation of the dungeon that `npm run flagship` makes.
// ICECORE_CHROMIUM names Chromium (default /usr/bin/chromium).
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';

interface Capture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
  /** Where it starts (default: the top of the page). */
  readonly from?: string;
}

const captures: readonly Capture[] = [
  { name: 'story', width: 1440, height: 1560, scheme: 'light' },
  { name: 'charts', width: 1440, height: 1120, scheme: 'dark', from: '#charts' },
  { name: 'failures', width: 1440, height: 1120, scheme: 'light', from: '#failures' },
  { name: 'narrow-story', width: 390, height: 1000, scheme: 'dark', from: '#stage-2' },
  { name: 'narrow-charts', width: 390, height: 1000, scheme: 'light', from: '#charts' },
];

const folder = fileURLToPath(new URL('../docs/report/', import.meta.url));
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

async function capture(page: Page, { name, width, height, scheme, from }: Capture): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  const top = from === undefined ? 0 : ((await page.locator(from).first().boundingBox())?.y ?? 0);
  const clip = { x: 0, y: Math.max(0, top - 24), width, height };
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, clip });
}

async function captureMatrix(page: Page): Promise<void> {
  await page.setViewportSize({ width: 720, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page
    .locator('figure')
    .first()
    .screenshot({ path: join(folder, 'matrix.png') });
}

const [report, ablation] = process.argv.slice(2);
if (report === undefined) throw new Error('usage: node tools/report-captures.ts REPORT.html [ABLATION.html]');
const profile = mkdtempSync(join(tmpdir(), 'icecore-captures-'));
const executablePath = process.env['ICECORE_CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launchPersistentContext(profile, { executablePath, args });
try {
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage();
  await page.goto(pathToFileURL(resolve(report)).href);
  for (const one of captures) await capture(page, one);
  if (ablation !== undefined) {
    await page.goto(pathToFileURL(resolve(ablation)).href);
    await captureMatrix(page);
  }
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
