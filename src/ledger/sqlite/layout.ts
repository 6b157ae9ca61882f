// The layout of a ledger in a SQLite file: its tables, format and settings; and the check that a file has this layout and nothing
// else. A view in place of a table, a rewriting trigger or a table without its keys would show events that were never recorded.
import { DatabaseSync } from 'node:sqlite';
import { getOrCreate } from '../../base/get-or-create.ts';
import { foreignLayout } from '../errors.ts';
import type { StoreFault } from '../ledger.ts';

/** `ICEC` in the file's header, by which tools and later versions recognise the file. */
export const applicationId = 0x49434543;

/** The format of new files. A format is in the file's header, and every write transaction checks it. */
export const formatVersion = 3;
export const firstWithPacks = 2;
export const firstWithRandomIds = 3;

/** For new files. */
export const pageSize = 4096;

const tables = `
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE streams (
  stream INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE types (
  type INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- One row an event. position is the order of the whole ledger, without gaps: one writer at a time, and nothing is removed.
-- body is the canonical JSON that digest covers, empty where a pack has it; the other columns repeat what must be found
-- without parsing.
CREATE TABLE events (
  position    INTEGER PRIMARY KEY,
  stream      INTEGER NOT NULL REFERENCES streams,
  revision    INTEGER NOT NULL,
  id          BLOB NOT NULL,
  type        INTEGER NOT NULL REFERENCES types,
  recorded_at INTEGER NOT NULL,
  digest      BLOB NOT NULL,
  body        TEXT NOT NULL
) STRICT;
`;

/** Exactly the indexes that appends and reads by stream, type and id need. */
export const indexes = `
CREATE UNIQUE INDEX events_by_id ON events (id);
CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
CREATE INDEX events_by_type ON events (type);
`;

function appendOnly(table: string): string {
  return ['UPDATE', 'DELETE']
    .map(
      (verb) => `CREATE TRIGGER ${table}_refuse_${verb.toLowerCase()} BEFORE ${verb} ON ${table}
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only: ${verb} of ${table} refused'); END;`,
    )
    .join('\n');
}

/** Format 2: the bodies of events that were appended together, from one position to another, compressed together. */
export const packs = `
CREATE TABLE packs (
  first  INTEGER PRIMARY KEY,
  last   INTEGER NOT NULL,
  bodies BLOB NOT NULL
) STRICT;
${appendOnly('packs')}
`;

/** A ledger of the first format that is only read has no packs. */
export const firstDefinition = `${tables}${indexes}${['meta', 'streams', 'types', 'events'].map(appendOnly).join('\n')}`;

/** A condition on events: their ids are not random, that is, not UUIDs of version 4. New ones are then usually neighbours. */
export const isOrderedId = "substr(id, 7, 1) NOT BETWEEN x'40' AND x'4f'";

/** By increasing size, described in random-ids.ts. Ids move between them, so they do not refuse DELETE. */
export const randomIdTables = ['random_ids_0', 'random_ids_1', 'random_ids_2'] as const;

/** Format 3: random ids have an index of their own. Files of format 2 keep their one index for all ids. */
const randomIds = `
DROP INDEX events_by_id;
CREATE UNIQUE INDEX events_by_id ON events (id) WHERE ${isOrderedId};
${randomIdTables
  .map(
    (table) => `CREATE TABLE ${table} (
  prefix   BLOB NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (prefix, position)
) STRICT, WITHOUT ROWID;`,
  )
  .join('\n')}
`;

export const definition = `${firstDefinition}${packs}${randomIds}`;

export function hasRandomIds(db: DatabaseSync): boolean {
  return readPragma(db, 'user_version') >= firstWithRandomIds;
}

export function definitionOf(format: number): string {
  if (format >= firstWithRandomIds) return definition;
  return format >= firstWithPacks ? `${firstDefinition}${packs}` : firstDefinition;
}

/**
 * Settings of every writing connection. FULL makes a commit wait for the disk; fullfsync enforces this on macOS. A longer log
 * between checkpoints (here 32 MiB) means that pages are copied back to the file less often.
 */
export const writerSettings = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = 1;
PRAGMA checkpoint_fullfsync = 1;
PRAGMA wal_autocheckpoint = 8000;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
`;

export function readPragma(db: DatabaseSync, name: string): number {
  const row = db.prepare(`PRAGMA ${name}`).get();
  return Number(Object.values(row ?? {})[0]);
}

/** The defining SQL by kind and name. */
type Objects = ReadonlyMap<string, string>;

/** Throws ForeignLayout if SQLite would execute foreign definitions in the file. */
export function requireHarmless(db: DatabaseSync, path: string, access: 'read' | 'write' | 'try'): void {
  const [found, format] = [objectsOf(db), readPragma(db, 'user_version')];
  // Triggers and indexes run on writes; reads use tables, or whatever replaces them.
  const strange = [...differences(found, format)].filter(
    ({ where, isMissing }) => access === 'write' || (!isMissing && isRead(where, found, format)),
  );
  if (strange.length === 0) return;
  throw foreignLayout(
    path,
    strange
      .slice(0, 3)
      .map(({ where, what }) => `${where}: ${what}`)
      .join('; '),
  );
}

function isRead(name: string, found: Objects, format: number): boolean {
  if (/^(?:index|trigger) /.test(name)) return false;
  return asMade(format).has(name) || !/^CREATE TABLE /i.test(found.get(name) ?? '');
}

/** Missing, changed or additional definitions in the file. */
export function* strangeObjects(db: DatabaseSync): Generator<StoreFault> {
  for (const { where, what } of differences(objectsOf(db), readPragma(db, 'user_version'))) yield { where, what };
}

function* differences(found: Objects, format: number): Generator<StoreFault & { readonly isMissing: boolean }> {
  const wanted = asMade(format);
  for (const [name, sql] of wanted) {
    const there = found.get(name);
    if (there === undefined) yield { where: name, what: 'it is missing from the file', isMissing: true };
    else if (there !== sql) yield { where: name, what: 'it is not defined as in a ledger', isMissing: false };
  }
  for (const name of found.keys())
    if (!wanted.has(name)) yield { where: name, what: 'it does not belong in a ledger', isMissing: false };
}

const made = new Map<string, Objects>();

function asMade(format: number): Objects {
  const sql = definitionOf(format);
  return getOrCreate(made, sql, () => {
    const db = new DatabaseSync(':memory:');
    db.exec(sql);
    const objects = objectsOf(db);
    db.close();
    return objects;
  });
}

/** SQLite's own statistics are harmless, and so are the indexes of keys, which have no definition. */
const ownOfSqlite = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
];

/** A repeated name is defined by all of its definitions. */
function objectsOf(db: DatabaseSync): Objects {
  const found = new Map<string, string>();
  for (const { type, name, sql } of db.prepare('SELECT type, name, sql FROM sqlite_schema').all()) {
    if (ownOfSqlite.includes(String(sql))) continue;
    if (sql === null && type === 'index' && String(name).startsWith('sqlite_autoindex_')) continue;
    const key = `${type} ${name}`;
    const before = found.get(key);
    found.set(key, before === undefined ? String(sql) : `${before}; ${sql}`);
  }
  return found;
}
