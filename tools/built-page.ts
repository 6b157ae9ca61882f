// Builds the page once before system tests, which open it in a browser.
import { build } from 'vite';

export async function setup(): Promise<void> {
  await build({ configFile: 'web/page/vite.config.ts', logLevel: 'warn' });
}
