// The ceiling of a verification: SHA-256 of every body of a part of a ledger, read from SQLite, and nothing else. As a thread
// it does the part it is given; imported, it does one in the thread that calls.
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

export interface Part {
  readonly path: string;
  readonly after: number;
  readonly until: number;
}

export function hashPart({ path, after, until }: Part): number {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  const bodies = db.prepare('SELECT body FROM events WHERE position > ? AND position <= ? ORDER BY position');
  bodies.setReturnArrays(true);
  let events = 0;
  for (const [body] of bodies.iterate(after, until) as unknown as Iterable<[string]>) {
    hash('sha256', body);
    events++;
  }
  db.close();
  return events;
}

if (!isMainThread) parentPort?.postMessage(hashPart(workerData as Part));
