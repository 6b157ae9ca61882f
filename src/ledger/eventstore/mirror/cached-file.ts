// A database among what the user's programs keep only to be faster: made where it is missing, shared by all processes, and
// worth nothing that cannot be had again elsewhere.
import { existsSync, linkSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageFailed } from '../../errors.ts';
import { makeFolder } from '../../folders.ts';
import { patiently } from '../../sqlite/access.ts';
import { temporaryPath } from '../../temporary.ts';

export interface CachedFile {
  readonly path: string;
  /** What to say where it cannot be used. */
  readonly unusable: (what: string, cause?: unknown) => StorageFailed;
  /** Of every connection. */
  readonly settings: string;
  readonly layOut: (db: DatabaseSync) => void;
}

/** Opens it, made before where it is missing. Throws StorageFailed. */
export async function openCachedFile(file: CachedFile): Promise<DatabaseSync> {
  const { path, unusable } = file;
  try {
    // A log that was left alone would be taken for that of the new file. Of who makes it just now, the file is there first.
    const isLogThere = existsSync(`${path}-wal`);
    if (!existsSync(path)) {
      if (isLogThere) throw unusable('is there in part only');
      make(file);
    }
    return await patiently(path, () => connect(file));
  } catch (error) {
    if (error instanceof StorageFailed) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw unusable(`cannot be used (${why})`, error);
  }
}

/** Under another name first, so that nobody opens half of it. Who makes it at the same time makes the same, and one stays. */
function make({ path, layOut }: CachedFile): void {
  const folder = dirname(path);
  makeFolder(folder);
  const unfinished = temporaryPath(folder);
  const db = new DatabaseSync(unfinished);
  try {
    db.exec('PRAGMA journal_mode = DELETE; BEGIN');
    layOut(db);
    db.exec('COMMIT');
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

function connect({ path, settings }: CachedFile): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(settings);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
