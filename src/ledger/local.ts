// Where what belongs to a ledger lies on this machine when nobody says otherwise: its tables, its blobs, what its runs need
// while they go on. Beside the file it is in; for one that is in no file, in a folder of its own in the home, and without a
// home among what the user's programs keep.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { sha256 } from './identity/ids.ts';
import { type LedgerUrl, placeNamed, type StoreUrl } from './url.ts';

/** Paths; nothing need be there. */
export interface Local {
  readonly tables: string;
  readonly blobs: string;
  readonly runs: string;
  /** The notes of a verification that was stopped. */
  readonly verification: string;
  /** Tells this ledger from its copies elsewhere. */
  readonly name: string;
}

export function localOf(url: LedgerUrl, home: string = cacheFolder()): Local {
  const near = nearest(url);
  return near.scheme === 'sqlite' ? beside(near.path) : within(home, near);
}

/** Of a split ledger, the part that is in a file. */
function nearest(url: LedgerUrl): StoreUrl {
  if (url.scheme !== 'split') return url;
  return url.decisions.scheme !== 'sqlite' && url.evidence.scheme === 'sqlite' ? url.evidence : url.decisions;
}

/** Tables are those of the file itself, by whatever link it is called. */
function beside(path: string): Local {
  const own = realPath(path);
  return {
    tables: `${own.replace(/\.db$/, '')}.tables`,
    blobs: `${path.replace(/\.(?:db|sqlite|sqlite3)$/, '')}.blobs`,
    runs: `${path}.runs`,
    verification: `${path}.verify.json`,
    name: own,
  };
}

function within(home: string, url: StoreUrl): Local {
  const name = placeNamed(url);
  const folder = join(home, `${url.scheme}-${sha256(name).slice(0, 8)}`);
  return {
    tables: join(folder, 'tables'),
    blobs: join(folder, 'blobs'),
    runs: join(folder, 'runs'),
    verification: join(folder, 'verify.json'),
    name,
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
