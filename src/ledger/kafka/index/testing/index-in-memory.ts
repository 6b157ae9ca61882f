// An index without a file: as quick to make as to forget.
import { DatabaseSync } from 'node:sqlite';
import type { Lanes } from '../../lanes.ts';
import { layOut } from '../file.ts';
import { Index } from '../index.ts';

export function indexInMemory(lanes: Lanes): Index {
  const db = new DatabaseSync(':memory:');
  layOut(db, lanes.count);
  return new Index(db, lanes);
}
