// What only SQLite can tell of a ledger's file: whether its pages hold together, its indexes agree with the table, and no
// row is missing from the middle.
import type { DatabaseSync } from 'node:sqlite';
import type { StoreFault } from '../ledger.ts';

const most = 100;

export function* auditFile(db: DatabaseSync): Generator<StoreFault> {
  yield* missingRows(db);
  for (const row of db.prepare(`PRAGMA integrity_check(${most})`).iterate()) {
    const what = String(row['integrity_check']);
    if (what !== 'ok') yield { where: 'file', what };
  }
}

/** Positions have no gaps; the index that is looked through is the smallest, and only where some are missing. */
function* missingRows(db: DatabaseSync): Generator<StoreFault> {
  const counted = db.prepare('SELECT count(*) AS events, max(position) AS last FROM events').get();
  if (Number(counted?.['events']) === Number(counted?.['last'] ?? 0)) return;
  const gaps = db.prepare(
    `SELECT before + 1 AS first, position - 1 AS last
     FROM (SELECT position, lag(position, 1, 0) OVER (ORDER BY position) AS before FROM events)
     WHERE position <> before + 1 LIMIT ${most}`,
  );
  for (const { first, last } of gaps.iterate()) {
    const where = first === last ? `position ${first}` : `positions ${first} to ${last}`;
    yield { where, what: 'missing: what stood there was removed' };
  }
}
