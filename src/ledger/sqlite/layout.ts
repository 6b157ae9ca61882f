// How a ledger lies in a SQLite file: its tables, its marks, its settings.
import type { DatabaseSync } from 'node:sqlite';

/** `ICEC` in the file's header: tools and later versions know the file by it. */
export const applicationId = 0x49434543;

/** The format this icecore writes. It stands in the file's header and is checked in every write transaction. */
export const formatVersion = 2;
export const firstWithPacks = 2;

/** Rows of about a kilobyte sit better on pages of 8 KiB: fewer pages to write for the same events. */
export const pageSize = 8192;

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

/** Exactly the indexes that appends, reads by stream, by type and by id need. */
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

export const definition = `${firstDefinition}${packs}`;

/**
 * Settings of every connection that writes. FULL makes a commit wait for the disk; fullfsync makes macOS mean it. A
 * larger WAL between checkpoints lets bulk appends write each page once.
 */
export const writerSettings = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = 1;
PRAGMA checkpoint_fullfsync = 1;
PRAGMA wal_autocheckpoint = 2000;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
`;

export function readPragma(db: DatabaseSync, name: string): number {
  const row = db.prepare(`PRAGMA ${name}`).get();
  return Number(Object.values(row ?? {})[0]);
}
