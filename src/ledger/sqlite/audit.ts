// The parts of an audit that only SQLite can do: whether the file has the layout of a ledger, its log is complete, its pages are
// consistent, its indexes agree with the table, and no row is missing. Each check is independent of the others.
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../base/folders.ts';
import type { StoreFault } from '../ledger.ts';
import { isStreamOf } from '../runs.ts';
import { logOf } from './files.ts';
import { firstWithPacks, hasRandomIds, isOrderedId, readPragma, strangeObjects } from './layout.ts';
import { readLog } from './log.ts';
import { inPack } from './packs.ts';
import { entriesWhere } from './random-ids.ts';

const most = 100;

/** Without `wholly`, only quick checks, and missing index entries of a run. */
export function* auditFile(db: DatabaseSync, path: string, wholly: boolean, run: string | null): Generator<StoreFault> {
  yield* guarded('definition', () => strangeObjects(db));
  yield* guarded('log', () => lostCommits(path));
  if (!wholly) {
    if (run !== null) yield* guarded('indexes', () => unindexed(db, run));
    return;
  }
  yield* guarded('events', () => missingRows(db));
  yield* guarded('packs', () => strangePacks(db));
  yield* guarded('streams', () => namelessStreams(db));
  yield* guarded('ids', () => strangeRandomIds(db));
  yield* guarded('file', () => brokenPages(db));
}

/**
 * Finds events of a run that an index lacks, by searching the table itself, and index entries without an event. Readers of a run
 * rely on the indexes, so an event that they lack would never be read. Types are checked for all runs.
 */
function* unindexed(db: DatabaseSync, run: string): Generator<StoreFault> {
  const typeByName = db.prepare('SELECT type FROM types WHERE name = ?');
  for (const { type, name } of db.prepare('SELECT type, name FROM types NOT INDEXED').iterate()) {
    if (typeByName.get(String(name))?.['type'] !== type) yield { where: `type ${name}`, what: nameLost };
  }
  const streams = new Map<number, string>();
  const names = [...db.prepare('SELECT stream, name FROM streams NOT INDEXED').iterate()];
  const byName = db.prepare('SELECT stream FROM streams WHERE name = ?');
  for (const { stream, name } of names) {
    if (!isStreamOf(run, String(name))) continue;
    streams.set(Number(stream), String(name));
    if (byName.get(String(name))?.['stream'] !== stream) yield { where: String(name), what: nameLost };
  }
  if (streams.size === 0) return;
  const wanted = `stream IN (${[...streams.keys()].join(', ')})`;
  const place = ({ stream, revision }: Row): string => `${streams.get(Number(stream))}@${Number(revision)}`;
  const isSplit = hasRandomIds(db);
  for (const { index, key } of keys) {
    const same = key.map((column) => `${column} = e.${column}`).join(' AND ');
    const indexed = isSplit && index === 'events_by_id' ? isOrderedId : 'true';
    const lost = `SELECT stream, revision FROM events AS e NOT INDEXED WHERE ${wanted} AND ${indexed} AND NOT EXISTS
      (SELECT 1 FROM events INDEXED BY ${index} WHERE ${same} AND ${indexed} AND position = e.position) LIMIT ${most}`;
    for (const row of db.prepare(lost).iterate()) yield { where: place(row), what: `missing from index ${index}` };
  }
  if (isSplit) yield* misplacedIds(db, wanted, place);
  const dangling = `SELECT stream, revision FROM events AS e INDEXED BY events_by_stream WHERE ${wanted} AND NOT EXISTS
    (SELECT 1 FROM events NOT INDEXED WHERE position = e.position AND stream = e.stream AND revision = e.revision)
    LIMIT ${most}`;
  for (const row of db.prepare(dangling).iterate())
    yield { where: place(row), what: 'index events_by_stream has it, the table does not' };
}

/** Random ids that their index does not have exactly once, at the position of their event. */
function* misplacedIds(db: DatabaseSync, wanted: string, place: (row: Row) => string): Generator<StoreFault> {
  const indexed = `SELECT group_concat(position, ', ') FROM (${entriesWhere('prefix = substr(e.id, 1, 6)')})
    CROSS JOIN events AS found USING (position) WHERE found.id = e.id`;
  const rows = db.prepare(
    `SELECT position, stream, revision, (${indexed}) AS positions FROM events AS e NOT INDEXED
     WHERE ${wanted} AND NOT (${isOrderedId}) AND (${indexed}) IS NOT CAST(position AS TEXT) LIMIT ${most}`,
  );
  for (const row of rows.iterate()) {
    const at = row['positions'] === null ? 'no position' : `positions ${String(row['positions'])}`;
    yield { where: place(row), what: `the index of random ids has its id at ${at}` };
  }
}

/** Every random id has an entry of its own, so there are no other entries if the numbers agree. */
function* strangeRandomIds(db: DatabaseSync): Generator<StoreFault> {
  if (!hasRandomIds(db)) return;
  const count = `SELECT (SELECT count(*) FROM (${entriesWhere('true')})) AS entries,
    (SELECT count(*) FROM events) - (SELECT count(*) FROM events WHERE ${isOrderedId}) AS events`;
  const { entries, events } = db.prepare(count).get() as Row;
  if (entries !== events) yield { where: 'ids', what: `${events} events have random ids, their index has ${entries}` };
  if (events !== 0) yield* misplacedIds(db, 'true', ({ position }) => `position ${position}`);
}

const nameLost = 'its name is missing from the index of names';

type Row = Readonly<Record<string, unknown>>;

const keys = [
  { index: 'events_by_stream', key: ['stream', 'revision'] },
  { index: 'events_by_type', key: ['type'] },
  { index: 'events_by_id', key: ['id'] },
] as const;

function* guarded(where: string, look: () => Iterable<StoreFault>): Generator<StoreFault> {
  try {
    yield* look();
  } catch (error) {
    yield { where, what: messageOf(error) };
  }
}

function* lostCommits(path: string): Generator<StoreFault> {
  const log = readLog(logOf(path));
  if (log === null || log.lostCommits === 0) return;
  const what = `it is broken at frame ${log.brokenFrame}: ${log.lostCommits} later commits are lost`;
  yield { where: 'log', what };
}

function* brokenPages(db: DatabaseSync): Generator<StoreFault> {
  for (const row of db.prepare(`PRAGMA integrity_check(${most})`).iterate()) {
    const what = String(row['integrity_check']);
    if (what !== 'ok') yield { where: 'file', what };
  }
}

/** Positions have no gaps. The smallest index is searched, and only if some are missing. */
function* missingRows(db: DatabaseSync): Generator<StoreFault> {
  const counted = db.prepare('SELECT count(*) AS events, max(position) AS last FROM events').get();
  const [events, last] = [Number(counted?.['events']), Number(counted?.['last'] ?? 0)];
  if (events === last) return;
  yield { where: 'events', what: `there are ${events}, but the last has position ${last}` };
  const gaps = db.prepare(
    `SELECT before + 1 AS first, position - 1 AS last
     FROM (SELECT position, lag(position, 1, 0) OVER (ORDER BY position) AS before FROM events)
     WHERE position <> before + 1 LIMIT ${most}`,
  );
  for (const gap of gaps.iterate()) {
    const where =
      gap['first'] === gap['last'] ? `position ${gap['first']}` : `positions ${gap['first']} to ${gap['last']}`;
    yield { where, what: 'missing: the event was removed' };
  }
}

/** Events whose bytes are in no pack, and packs that do not match exactly the events without bytes of their own. */
function* strangePacks(db: DatabaseSync): Generator<StoreFault> {
  if (readPragma(db, 'user_version') < firstWithPacks) return;
  const bare = db.prepare(
    `SELECT position FROM events WHERE body = '${inPack}'
       AND coalesce((SELECT last FROM packs WHERE first <= position ORDER BY first DESC LIMIT 1), 0) < position
     LIMIT ${most}`,
  );
  for (const { position } of bare.iterate()) yield { where: `position ${position}`, what: 'no pack has its bytes' };
  const within = db.prepare(
    `SELECT count(*) AS events, total(body <> '${inPack}') AS own FROM events WHERE position BETWEEN ? AND ?`,
  );
  let [end, found] = [Number.NEGATIVE_INFINITY, 0];
  for (const row of db.prepare('SELECT first, last FROM packs ORDER BY first').iterate()) {
    const [first, last] = [Number(row['first']), Number(row['last'])];
    // Overlapping packs are not counted through, since each might span the whole ledger.
    const what = first <= end ? overlapping : strangenessOf(first, last, within.get(first, last));
    end = Math.max(end, last);
    if (what === null) continue;
    yield { where: `positions ${first} to ${last}`, what };
    if (++found === most) return;
  }
}

const overlapping = 'two packs have bytes for the same events';

function strangenessOf(first: number, last: number, counted: Row | undefined): string | null {
  const events = Number(counted?.['events']);
  if (last < first || events !== last - first + 1) return 'a pack has bytes for missing events';
  return Number(counted?.['own']) === 0 ? null : 'a pack has bytes for events that have their own';
}

function* namelessStreams(db: DatabaseSync): Generator<StoreFault> {
  const numbers = db.prepare(
    `SELECT stream FROM (SELECT DISTINCT stream FROM events) WHERE stream NOT IN (SELECT stream FROM streams) LIMIT ${most}`,
  );
  for (const { stream } of numbers.iterate()) {
    yield { where: `stream number ${stream}`, what: 'it has no name: its events belong to no stream' };
  }
}
