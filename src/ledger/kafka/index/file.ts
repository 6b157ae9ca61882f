// The file of an index: in the user's cache folder, one for each ledger at each place, shared by all processes. It is made
// where it is missing, and made anew where it is of no use.
import { createHash } from 'node:crypto';
import { existsSync, linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryPath } from '../../blobs/temporary.ts';
import { cacheFolder } from '../../cache-folder.ts';
import { StorageFailed } from '../../errors.ts';
import { makeFolder } from '../../folder.ts';
import { patiently } from '../../sqlite/patience.ts';
import { definition, indexVersion, settings } from './layout.ts';

/** `incarnation`: of the ledger's topics; `place`: by what name these are reached. */
export function indexPath(incarnation: string, place: string): string {
  const where = createHash('sha256').update(place).digest('hex').slice(0, 8);
  return join(cacheFolder(), 'kafka', `${incarnation}-${where}`, `index-${indexVersion}.db`);
}

/** Opens it, made before where it is missing. Throws StorageFailed. */
export async function openIndexFile(path: string, lanes: number): Promise<DatabaseSync> {
  try {
    // A log that was left alone would be taken for that of the new file. Of who makes it just now, the file is there first.
    const isLogThere = existsSync(`${path}-wal`);
    if (!existsSync(path)) {
      if (isLogThere) throw new StorageFailed(path, 'of the index of the ledger only a part is there', remedy);
      make(path, lanes);
    }
    return await patiently(path, () => connect(path));
  } catch (error) {
    if (error instanceof StorageFailed) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageFailed(path, `the index of the ledger cannot be used (${why})`, remedy, error);
  }
}

const remedy =
  'It holds nothing that is not in Kafka: delete its folder and it is made anew, or name another place for it with ICECORE_CACHE.';

/** Under another name first, so that nobody opens half of it. Who makes it at the same time makes the same, and one stays. */
function make(path: string, lanes: number): void {
  const folder = join(path, '..');
  makeFolder(folder);
  const unfinished = temporaryPath(folder);
  const db = new DatabaseSync(unfinished);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    layOut(db, lanes);
  } finally {
    db.close();
  }
  try {
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** An index that knows nothing yet. */
export function layOut(db: DatabaseSync, lanes: number): void {
  db.exec(`BEGIN; ${definition}`);
  const insert = db.prepare('INSERT INTO lanes (lane, next, events, latest) VALUES (?, 0, 0, 0)');
  for (let lane = 0; lane < lanes; lane++) insert.run(lane);
  db.exec('COMMIT');
}

function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(settings);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
