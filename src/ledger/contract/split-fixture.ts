// What the split ledger supplies to the contract: both parts in SQLite files of a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../open.ts';
import type { Fixture } from './fixture.ts';

export async function splitFixture(): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-split-'));
  let made = 0;
  return {
    fresh: async () => {
      const place = join(folder, `${made++}`);
      const url = `split:sqlite:${place}.db+sqlite:${place}-evidence.db`;
      await (await openLedger(url, { create: true })).close();
      return url;
    },
    open: (url) => openLedger(url),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
