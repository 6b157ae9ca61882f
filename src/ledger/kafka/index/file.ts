// The file of an index: in the user's cache folder, one for each ledger at each place, shared by all processes. It is made
// where it is missing, and made anew where it is of no use.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openCachedFile } from '../../eventstore/mirror/cached-file.ts';
import { cacheFolder } from '../../folders.ts';
import { sweep, temporaryPath } from '../../temporary.ts';
import { definition, indexVersion, settings } from './layout.ts';
import { unusable } from './unusable.ts';

/** `incarnation`: of the ledger's topics; `place`: by what name these are reached. */
export function indexPath(incarnation: string, place: string): string {
  const where = createHash('sha256').update(place).digest('hex').slice(0, 8);
  return join(cacheFolder(), 'kafka', `${incarnation}-${where}`, `index-${indexVersion}.db`);
}

/** A place for one that is read anew from the beginning and then removed: a folder of its own, with all that lies beside it. */
export function scratchIn(folder: string): { readonly folder: string; readonly path: string } {
  const own = temporaryPath(folder);
  return { folder: own, path: join(own, 'index.db') };
}

/** Opens it, made before where it is missing. What others left beside it who were killed is swept away. Throws StorageFailed. */
export async function openIndexFile(path: string, lanes: number): Promise<DatabaseSync> {
  await sweep(dirname(path));
  return await openCachedFile({
    path,
    settings,
    layOut: (db) => layOut(db, lanes),
    unusable: (what, cause) => unusable(path, `the index of the ledger ${what}`, cause),
  });
}

/** An index that knows nothing yet. */
export function layOut(db: DatabaseSync, lanes: number): void {
  db.exec(definition);
  const insert = db.prepare('INSERT INTO lanes (lane, next, events, latest, copied) VALUES (?, 0, 0, 0, 0)');
  for (let lane = 0; lane < lanes; lane++) insert.run(lane);
}
