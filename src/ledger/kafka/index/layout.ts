// How the index of a ledger in Kafka lies in its file. Everything in it was read from the log and can be read again: it may
// be deleted at any time. Per event it holds next to nothing: streams lie in spans of the log, ids that rise in zones of their
// stream; only what does not is written down one by one.

/** Another layout is another file. */
export const indexVersion = 3;

export const definition = `
CREATE TABLE lanes (
  lane   INTEGER PRIMARY KEY,
  next   INTEGER NOT NULL, -- the offset to go on from
  events INTEGER NOT NULL, -- how many count before it
  latest INTEGER NOT NULL, -- the latest time of any of them
  copied INTEGER NOT NULL  -- what is no event and lies before it has a copy among the rejected
) STRICT;

-- The order of the whole ledger: blocks of lanes by time. A block's time is the latest of its lane up to its first event,
-- so that it never changes and only grows along a lane.
CREATE TABLE blocks (
  lane   INTEGER NOT NULL,
  first  INTEGER NOT NULL, -- its first offset
  time   INTEGER NOT NULL,
  before INTEGER NOT NULL, -- how many events of the lane count before it
  PRIMARY KEY (lane, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE streams (
  stream  INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  lane    INTEGER NOT NULL,
  next    INTEGER NOT NULL,
  last    TEXT NOT NULL,
  epoch   INTEGER,
  session TEXT,
  at      INTEGER NOT NULL -- the offset of its last event
) STRICT;

-- Where the events of a stream lie: from one offset to another, among others perhaps, but not many.
CREATE TABLE spans (
  stream         INTEGER NOT NULL,
  first_revision INTEGER NOT NULL,
  last_revision  INTEGER NOT NULL,
  first_offset   INTEGER NOT NULL,
  last_offset    INTEGER NOT NULL,
  bytes          INTEGER NOT NULL,
  PRIMARY KEY (stream, first_revision)
) STRICT, WITHOUT ROWID;

-- Ids that icecore makes of one run, stage and kind are a family: they differ in a number that rises.
CREATE TABLE families (
  stream INTEGER NOT NULL,
  family TEXT NOT NULL,
  high   TEXT NOT NULL,    -- the highest so far
  low    TEXT,             -- with which its last zone begins
  mixed  INTEGER NOT NULL, -- 1: they did not always rise, and from then on are all among the ids
  PRIMARY KEY (stream, family)
) STRICT, WITHOUT ROWID;

-- Rising ids of one family, and the revisions among which they lie.
CREATE TABLE zones (
  stream         INTEGER NOT NULL,
  low            TEXT NOT NULL,
  high           TEXT NOT NULL,
  first_revision INTEGER NOT NULL,
  last_revision  INTEGER NOT NULL,
  PRIMARY KEY (stream, low)
) STRICT, WITHOUT ROWID;

-- Ids that are in no zone.
CREATE TABLE ids (
  id       TEXT NOT NULL,
  stream   INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (id, stream)
) STRICT, WITHOUT ROWID;

-- Offsets that do not count.
CREATE TABLE refused (
  lane     INTEGER NOT NULL,
  first    INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  why      TEXT NOT NULL,
  stream   TEXT,
  revision INTEGER,
  id       TEXT,
  digest   TEXT,
  PRIMARY KEY (lane, first)
) STRICT, WITHOUT ROWID;

-- What is no event, or counts as one and holds none, and why.
CREATE TABLE rejected (
  lane  INTEGER NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  why   TEXT NOT NULL,
  PRIMARY KEY (lane, first)
) STRICT, WITHOUT ROWID;
`;

/**
 * Whatever is lost of it is read again: a commit need not wait for the disk. To sort all ids of a ledger takes room with its
 * length, which is there on the disk.
 */
export const settings = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -16384;
PRAGMA journal_size_limit = 16777216;
`;
