// The page in headless Chromium over a long history: what the first view loads, how long views take, how a grid of 100,000 rows scrolls, and
// whether a flood of live events makes the page stutter. ICECORE_BENCH_ROLLOUTS rollouts (default 1,000,000); ICECORE_CHROMIUM names Chromium.
import { type Browser, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { listRuns } from '../src/analysis/history/runs.ts';
import { openLedger } from '../src/ledger/open.ts';
import { inFolder } from './folder.ts';
import { median } from './measure.ts';
import { Histories } from './projection/histories.ts';
import type { Line, Report } from './report.ts';
import { rollouts, stream } from './rollouts.ts';
import { serving } from './server.ts';

const history = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const executablePath = process.env['ICECORE_CHROMIUM'] ?? '/usr/bin/chromium';
const rounds = 5;
const limits = { viewMs: 1_000, firstLoadKilobytes: 90, framesPerSecond: 50, longTaskMs: 100 };
const perSecond = 2_000;
const liveSeconds = 10;

export async function pageBench(): Promise<Report[]> {
  await build({ configFile: 'web/page/vite.config.ts', logLevel: 'warn' });
  return await inFolder(async (folder) => {
    const { url, events } = await new Histories(folder).of(history);
    const stage = await decidedStage(url);
    const server = await serving(folder, '--ledger', url);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      await filled(server.url);
      return [
        await loadReport(browser, server.url),
        await viewsReport(browser, server.url, stage, events),
        await gridReport(browser, server.url),
        await liveReport(browser, server.url),
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

/** A run with several stages, and its last decided stage. */
async function decidedStage(url: string): Promise<{ readonly run: string; readonly stage: number }> {
  const ledger = await openLedger(url, { readOnly: true });
  const { rows } = await listRuns(ledger, { limit: 1_000 });
  await ledger.close();
  const longest = rows.toSorted((a, b) => b.done - a.done)[0];
  if (longest === undefined) throw new Error(`${url} contains no run`);
  return { run: longest.name, stage: longest.done };
}

/** The tables are filled before anything is timed, as they are while a server runs. */
async function filled(url: string): Promise<void> {
  const query = 'SELECT count(*) AS rollouts FROM rollouts';
  await fetch(`${url}sql`, { method: 'POST', headers: { 'content-type': 'application/sql' }, body: query });
}

async function loadReport(browser: Browser, url: string): Promise<Report> {
  const page = await browser.newPage();
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${url}ui/`);
  await page.locator('table').first().waitFor();
  const answers: number = await page.evaluate(
    `performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType === 'fetch').reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  );
  await page.close();
  const kilobytes = (bytes - answers) / 1000;
  const { firstLoadKilobytes: most } = limits;
  return {
    title: 'the first load of the page, compressed, without answers of the ledger',
    lines: [
      { what: 'size', value: `${kilobytes.toFixed(1)} kB`, target: `at most ${most} kB`, met: kilobytes <= most },
    ],
    data: { kilobytes },
  };
}

async function viewsReport(
  browser: Browser,
  url: string,
  { run, stage }: { readonly run: string; readonly stage: number },
  events: number,
): Promise<Report> {
  const name = encodeURIComponent(run);
  const views = [
    { what: 'first view: runs', fragment: '', ready: 'main table tbody tr' },
    { what: `a run, ${stage} stages`, fragment: `#/run/${name}`, ready: 'main h2' },
    { what: 'why', fragment: `#/why/${name}@${stage}`, ready: 'main h2' },
  ];
  const lines: Line[] = [];
  const data: Record<string, number> = { events };
  for (const { what, fragment, ready } of views) {
    const taken: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // Nothing is in the browser's cache.
      const context = await browser.newContext();
      const page = await context.newPage();
      const begun = performance.now();
      await page.goto(`${url}ui/${fragment}`);
      await page.locator(ready).first().waitFor();
      taken.push(performance.now() - begun);
      await context.close();
    }
    const middle = median(taken);
    data[what] = middle;
    lines.push({
      what,
      value: `${Math.round(middle)} ms`,
      target: `under ${limits.viewMs} ms`,
      met: middle < limits.viewMs,
    });
  }
  return { title: `views over ${history.toLocaleString('en')} rollouts`, lines, data };
}

async function gridReport(browser: Browser, url: string): Promise<Report> {
  const page = await browser.newPage();
  const query = 'SELECT id, run, stage, family, outcome, reward FROM rollouts LIMIT 100000';
  await page.goto(`${url}ui/#/sql?q=${encodeURIComponent(query)}`);
  await page.keyboard.press('Control+Enter');
  await page.locator('.window tbody tr:nth-child(20)').waitFor({ timeout: 60_000 });
  const seconds = 4;
  const frames: number = await page.evaluate(`(async () => {
    const box = document.querySelector('.window');
    let drawn = 0;
    const begun = performance.now();
    while (performance.now() - begun < ${seconds * 1000}) {
      box.scrollTop += 400;
      await new Promise(requestAnimationFrame);
      drawn++;
    }
    return drawn / ((performance.now() - begun) / 1000);
  })()`);
  await page.close();
  const { framesPerSecond: least } = limits;
  return {
    title: 'a grid of 100,000 rows',
    lines: [
      {
        what: 'frames while scrolling',
        value: `${Math.round(frames)}/s`,
        target: `at least ${least}/s`,
        met: frames >= least,
      },
    ],
    data: { framesPerSecond: frames },
  };
}

async function liveReport(browser: Browser, url: string): Promise<Report> {
  const page = await browser.newPage();
  await page.goto(`${url}ui/#/live?type=RolloutRecorded`);
  await page.locator('h1').waitFor();
  await watchLongTasks(page);
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  const perBeat = perSecond / 20;
  const begun = performance.now();
  for (let beat = 0; beat < liveSeconds * 20; beat++) {
    const body = rollouts(20_000_000 + beat * perBeat, perBeat)
      .map((event) => `${JSON.stringify({ ...event, stream })}\n`)
      .join('');
    await fetch(`${url}events`, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + (beat + 1) * 50 - performance.now())));
  }
  const rate = (perSecond * liveSeconds) / ((performance.now() - begun) / 1000);
  const longest: number = await page.evaluate('longest');
  const busiest = busiestTask(JSON.parse(String(await browser.stopTracing())));
  await page.close();
  const { longTaskMs: most } = limits;
  return {
    title: 'the page under a flood of live events',
    lines: [
      { what: 'events sent', value: `${Math.round(rate)}/s`, target: '', met: null },
      { what: 'longest task', value: `${Math.round(longest)} ms`, target: `at most ${most} ms`, met: longest <= most },
      { what: 'longest task, processor time', value: `${Math.round(busiest)} ms`, target: '', met: null },
    ],
    data: { rate, longest, busiest },
  };
}

async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(`{
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });
  }`);
}

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
 * The longest task in milliseconds of processor time. The Long Tasks API also counts the time in which the server and this program had the
 * processor.
 */
function busiestTask({ traceEvents }: Trace): number {
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isMain = (pid: number, tid: number): boolean => threads.some((one) => one.pid === pid && one.tid === tid);
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && isMain(pid, tid));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000));
}
