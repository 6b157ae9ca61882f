// The page in a real browser, from a real server over a real recorded history: `icecore serve` in a folder of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { openLedger } from '../../src/ledger/open.ts';
import { Provenance } from '../../src/projections/warehouse/provenance.ts';

export const chromiumPath: string =
  process.env['ICECORE_CHROMIUM'] ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path)) ??
  'no Chromium: ICECORE_CHROMIUM names one';

export const hasChromium: boolean = existsSync(chromiumPath);

export const iceprogram: string = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));

interface View {
  readonly page: Page;
  /** Errors of the console, refused resources included, and requests to anywhere but the server. */
  readonly faults: readonly string[];
}

export interface Browsing {
  readonly url: string;
  /** The folder of the workspace. */
  readonly cwd: string;
  readonly server: ChildProcess;
  /** Opens a view, as its address in the fragment: `#/run/first`. */
  open(fragment: string, options?: BrowserContextOptions): Promise<View>;
  /** The command `icecore` in the workspace. */
  icecore(...args: readonly string[]): string;
  close(): Promise<void>;
}

/** A folder with two short runs on the lake, an ablation and their tables; recorded once by the commands that a user types. */
export function recordedFolder(): string {
  const given = process.env['ICECORE_TEST_PAGE_WORKSPACE'];
  if (given !== undefined) return given;
  const shared = process.env['ICECORE_TEST_PAGE_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'icecore-page-'));
  const folder = join(shared, 'history');
  const end = join(shared, 'recorded');
  if (isFirst(folder)) {
    try {
      record(folder);
      writeFileSync(end, 'yes');
    } catch (fault) {
      writeFileSync(end, 'no');
      throw fault;
    }
  }
  // Another test file records it at this moment.
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(end)) Atomics.wait(nobody, 0, 0, 50);
  if (readFileSync(end, 'utf8') !== 'yes') throw new Error('another test file could not record the history');
  return folder;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function record(folder: string): void {
  const run = (...args: readonly string[]): void =>
    void execFileSync(process.execPath, [iceprogram, ...args], {
      cwd: folder,
      env: ownEnv(folder),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const small = ['--budget', '20k', '--validation-tasks', '60', '--probe-tasks', '2', '--quiet'];
  run('run', '--name', 'first', '--stages', '3', '--seed', '1', '--tag', 'page', ...small);
  run('run', '--name', 'second', '--engineer', 'uniform', '--stages', '2', '--seed', '2', ...small);
  run('ablate', 'first', '--engineer', 'rules,uniform', '--context', 'failures,stats', '--depth', 'propose', '--quiet');
  run('sql', 'SELECT 1');
}

function ownEnv(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, 'user') };
}

export async function browsing(recorded: string, ...args: readonly string[]): Promise<Browsing> {
  const cwd = mkdtempSync(join(tmpdir(), 'icecore-browsing-'));
  cpSync(recorded, cwd, { recursive: true });
  await ownTables(cwd);
  const server = spawn(process.execPath, [iceprogram, 'serve', '--port', '0', '--json', ...args], {
    cwd,
    env: ownEnv(cwd),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  return {
    ...{ url, cwd, server },
    open: async (fragment, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      page.on('pageerror', (fault) => faults.push(String(fault)));
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
      });
      await page.goto(`${url}ui/${fragment}`);
      return { page, faults };
    },
    icecore: (...command) =>
      execFileSync(process.execPath, [iceprogram, ...command], { cwd, env: ownEnv(cwd), encoding: 'utf8' }),
    close: async () => {
      await browser.close();
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/** The tables of a copied workspace count as made by its user, so that they are not made again. */
async function ownTables(cwd: string): Promise<void> {
  const workspace = join(cwd, '.icecore');
  const [tables] = globSync(join(workspace, 'ledger.tables', '*.duckdb'));
  if (tables === undefined) return;
  const ledger = await openLedger(`sqlite:${join(workspace, 'ledger.db')}`);
  new Provenance(ledger.id, { env: ownEnv(cwd), isNamed: false }).noteWritten(tables);
  await ledger.close();
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

export const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

/** What does not fit into the window, and the serious faults that axe finds. */
export async function misfits(page: Page): Promise<readonly string[]> {
  const beyond: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  return [...(beyond > 0 ? [`${beyond} pixels wider than the window`] : []), ...(await seriousFaults(page))];
}

/** What the browser does with a tab that nobody looks at. */
export async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** The faults that axe finds and calls serious or critical, in words. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations }: AxeResults = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .map(({ html }) => html)
          .join(' ')
          .slice(0, 400)}`,
    );
}
