// Ledgers of earlier formats, with the events of another one.
import { DatabaseSync } from 'node:sqlite';
import { applicationId, definitionOf } from '../layout.ts';

/** The first format has each event in its own row, so the other ledger must have no packs then. */
export function makeOldFormat(format: 1 | 2, from: string, to: string): void {
  const db = new DatabaseSync(to);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format};`);
  db.exec(definitionOf(format));
  db.prepare('ATTACH ? AS other').run(from);
  const tables = ['meta', 'streams', 'types', 'events', ...(format === 1 ? [] : ['packs'])];
  for (const table of tables) db.exec(`INSERT INTO ${table} SELECT * FROM other.${table}`);
  db.close();
}
