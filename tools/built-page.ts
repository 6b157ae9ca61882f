// Builds the page that `icecore serve` sends, and the one of `icecore report --site`: by itself, for the package, and once before system
// tests, which open both in a browser.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

async function builtPage(): Promise<void> {
  // The first one empties dist/page.
  for (const configFile of ['web/page/vite.config.ts', 'web/page/site/vite.config.ts'])
    await build({ configFile, logLevel: 'warn' });
}

/** Test files of the page share one recorded history, which the first of them makes in this folder. */
export async function setup(): Promise<() => void> {
  await builtPage();
  const folder = mkdtempSync(join(tmpdir(), 'icecore-page-'));
  process.env['ICECORE_TEST_PAGE_FOLDER'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

if (import.meta.main) await builtPage();
