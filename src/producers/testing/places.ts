// A ledger and a blob store for one test, in a folder that is removed afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';

export interface Places {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
}

export function places(): Promise<Places> {
  return placesIn((folder) => `sqlite:${join(folder, 'ledger.db')}`);
}

/** The same with a separate evidence store. */
export function splitPlaces(): Promise<Places> {
  return placesIn((folder) => `split:sqlite:${join(folder, 'ledger.db')}+sqlite:${join(folder, 'evidence.db')}`);
}

async function placesIn(urlIn: (folder: string) => string): Promise<Places> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-producers-'));
  const ledger = await openLedger(urlIn(folder), { create: true });
  const blobs = await openBlobs(`folder:${join(folder, 'ledger.blobs')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    await blobs.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, ledger, blobs };
}

/** The digests of all existing blobs. */
export async function digestsIn(blobs: Blobs): Promise<string[]> {
  const digests: string[] = [];
  for await (const batch of blobs.list()) for (const { digest } of batch) digests.push(digest);
  return digests;
}

/** The same store with some methods replaced. */
export function altered(blobs: Blobs, others: Partial<Blobs>): Blobs {
  return {
    url: blobs.url,
    put: (source) => blobs.put(source),
    putAll: (sources) => blobs.putAll(sources),
    read: (digest) => blobs.read(digest),
    get: (digest) => blobs.get(digest),
    has: (digest) => blobs.has(digest),
    list: () => blobs.list(),
    erase: (digest) => blobs.erase(digest),
    check: () => blobs.check(),
    close: () => blobs.close(),
    ...others,
  };
}
