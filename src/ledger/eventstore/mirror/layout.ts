// How the mirror of a ledger lies in a SQLite file: its events as a ledger in a file has them, at the positions that the
// server's log gives them, and how far that log was read.

/** A mirror of another version is left alone: it is made anew beside it. */
export const mirrorVersion = 1;

/** Nothing is lost with it that the server does not have: what was not yet on the disk is read again. */
export const settings = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
`;

export const definition = `
CREATE TABLE streams (
  stream INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE types (
  type INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
  position    INTEGER PRIMARY KEY,
  stream      INTEGER NOT NULL,
  revision    INTEGER NOT NULL,
  id          BLOB NOT NULL,
  type        INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  digest      BLOB NOT NULL,
  body        TEXT NOT NULL
) STRICT;

-- The server lets an id stand in two streams; an audit tells of it.
CREATE INDEX events_by_id ON events (id);
CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
CREATE INDEX events_by_type ON events (type);

-- How far the server's log was read: up to the event at this position, which has this id on the server, whosever it is. And how many
-- events of the ledger there were.
CREATE TABLE progress (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  position INTEGER NOT NULL,
  anchor   TEXT NOT NULL,
  events   INTEGER NOT NULL
) STRICT;

-- The position of every so manieth event, so that a stretch of many is found without counting them.
CREATE TABLE marks (
  count    INTEGER PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT;

-- Streams whose settings let the server remove events, and those that it has deleted, by their names on the server.
CREATE TABLE losing (
  stream TEXT PRIMARY KEY,
  what   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Events whose predecessors never came: they had been removed before they were read.
CREATE TABLE gaps (
  position INTEGER PRIMARY KEY,
  stream   TEXT NOT NULL,
  what     TEXT NOT NULL
) STRICT;

INSERT INTO progress (one, position, anchor, events) VALUES (1, -1, '', 0);
`;
