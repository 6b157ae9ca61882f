// The fixture of the SQLite store for the contract: files in a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../open.ts';
import type { Fixture } from './fixture.ts';

export async function sqliteFixture(): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-sqlite-'));
  let made = 0;
  return {
    fresh: async () => {
      const url = `sqlite:${join(folder, `${made++}.db`)}`;
      await (await openLedger(url, { create: true })).close();
      return url;
    },
    open: (url) => openLedger(url),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
