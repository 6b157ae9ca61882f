// An index without a file: as quick to make as to forget.
import { DatabaseSync } from 'node:sqlite';
import type { Lanes } from '../../lanes.ts';
import { layOut } from '../file.ts';
import { Index } from '../index.ts';

export function databaseInMemory(lanes: Lanes): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  layOut(db, lanes.count);
  return db;
}

export function indexInMemory(lanes: Lanes): Index {
  return new Index(databaseInMemory(lanes), lanes);
}

/** All that an index says, by the names of streams: in which order it came to know them makes no difference. */
export function contentsOf(db: DatabaseSync): unknown {
  const all = (query: string): unknown[] => db.prepare(query).all();
  return {
    lanes: all('SELECT * FROM lanes ORDER BY lane'),
    blocks: all('SELECT * FROM blocks ORDER BY lane, first'),
    streams: all('SELECT name, lane, next, last, epoch, session, at FROM streams WHERE next > 0 ORDER BY name'),
    spans: all(`SELECT name, first_revision, last_revision, first_offset, last_offset, bytes
      FROM spans JOIN streams USING (stream) ORDER BY name, first_revision`),
    families: all(
      'SELECT name, family, high, low, mixed FROM families JOIN streams USING (stream) ORDER BY name, family',
    ),
    zones: all(`SELECT name, low, high, first_revision, last_revision
      FROM zones JOIN streams USING (stream) ORDER BY name, low`),
    rejected: all('SELECT lane, first, count, why FROM rejected ORDER BY lane, first'),
    ids: all('SELECT name, id, revision FROM ids JOIN streams USING (stream) ORDER BY name, id'),
  };
}
