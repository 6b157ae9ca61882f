// What only SQLite can tell of a ledger's file: whether it is laid out as a ledger is, its log is whole, its pages hold
// together, its indexes agree with the table, and no row is missing. Each part is told for itself, whatever the others find.
import type { DatabaseSync } from 'node:sqlite';
import type { StoreFault } from '../ledger.ts';
import { strangeObjects } from './definition.ts';
import { readLog } from './log.ts';

const most = 100;

/** Without `wholly`, only what takes no time. */
export function* auditFile(db: DatabaseSync, path: string, wholly: boolean): Generator<StoreFault> {
  yield* guarded('definition', () => strangeObjects(db));
  yield* guarded('log', () => lostCommits(path));
  if (!wholly) return;
  yield* guarded('events', () => missingRows(db));
  yield* guarded('streams', () => namelessStreams(db));
  yield* guarded('file', () => brokenPages(db));
}

function* guarded(where: string, look: () => Iterable<StoreFault>): Generator<StoreFault> {
  try {
    yield* look();
  } catch (error) {
    yield { where, what: error instanceof Error ? error.message : String(error) };
  }
}

function* lostCommits(path: string): Generator<StoreFault> {
  const log = readLog(`${path}-wal`);
  if (log === null || log.lostCommits === 0) return;
  const what = `it does not fit together at frame ${log.brokenFrame}: ${log.lostCommits} commits behind it are lost`;
  yield { where: 'log', what };
}

function* brokenPages(db: DatabaseSync): Generator<StoreFault> {
  for (const row of db.prepare(`PRAGMA integrity_check(${most})`).iterate()) {
    const what = String(row['integrity_check']);
    if (what !== 'ok') yield { where: 'file', what };
  }
}

/** Positions have no gaps; the index that is looked through is the smallest, and only where some are missing. */
function* missingRows(db: DatabaseSync): Generator<StoreFault> {
  const counted = db.prepare('SELECT count(*) AS events, max(position) AS last FROM events').get();
  const [events, last] = [Number(counted?.['events']), Number(counted?.['last'] ?? 0)];
  if (events === last) return;
  yield { where: 'events', what: `there are ${events}, the last at position ${last}` };
  const gaps = db.prepare(
    `SELECT before + 1 AS first, position - 1 AS last
     FROM (SELECT position, lag(position, 1, 0) OVER (ORDER BY position) AS before FROM events)
     WHERE position <> before + 1 LIMIT ${most}`,
  );
  for (const gap of gaps.iterate()) {
    const where =
      gap['first'] === gap['last'] ? `position ${gap['first']}` : `positions ${gap['first']} to ${gap['last']}`;
    yield { where, what: 'missing: what stood there was removed' };
  }
}

function* namelessStreams(db: DatabaseSync): Generator<StoreFault> {
  const numbers = db.prepare(
    `SELECT stream FROM (SELECT DISTINCT stream FROM events) WHERE stream NOT IN (SELECT stream FROM streams) LIMIT ${most}`,
  );
  for (const { stream } of numbers.iterate()) {
    yield { where: `stream number ${stream}`, what: 'it has no name: its events belong to no stream' };
  }
}
