// Builds the page that `icecore serve` sends, and the one of `icecore report --site`: by itself, for the package, and once before system
// tests, which open both in a browser.
import { build } from 'vite';

export async function setup(): Promise<void> {
  // The first one empties dist/page.
  for (const configFile of ['web/page/vite.config.ts', 'web/page/site/vite.config.ts'])
    await build({ configFile, logLevel: 'warn' });
}

if (import.meta.main) await setup();
