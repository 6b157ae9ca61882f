// The upper bound of verification: SHA-256 of every body in a part of a ledger, read from SQLite and unpacked. Started as a thread it hashes
// its part; imported, it hashes in the calling thread.
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { inPack, PackReader } from '../src/ledger/sqlite/packs.ts';

export interface Part {
  readonly path: string;
  readonly after: number;
  readonly until: number;
}

export function hashPart({ path, after, until }: Part): number {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  const bodies = db.prepare(
    'SELECT position, lower(hex(digest)), body FROM events WHERE position > ? AND position <= ? ORDER BY position',
  );
  bodies.setReturnArrays(true);
  const packs = new PackReader(db);
  let events = 0;
  for (const [position, digest, body] of bodies.iterate(after, until) as unknown as Iterable<
    [number, string, string]
  >) {
    // Bodies from a pack were hashed while unpacking.
    if (body === inPack) packs.bodyAt(position, digest);
    else hash('sha256', body);
    events++;
  }
  db.close();
  return events;
}

if (!isMainThread) parentPort?.postMessage(hashPart(workerData as Part));
