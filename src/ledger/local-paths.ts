// The default places on this machine for things that belong to a ledger: its tables, its blobs, the files of its runs. They
// are next to the ledger's file; for a ledger on servers, in a folder within the workspace, and without a workspace in the
// user's cache.
import { join } from 'node:path';
import { cacheFolder } from '../base/folders.ts';
import { realPathOf } from '../base/real-path.ts';
import { sha256 } from './identity/ids.ts';
import { driverOf, filesOf, type LedgerUrl, parseLedgerUrl, placeNamed, type StoreUrl, storesOf } from './stores.ts';

/** Paths, which need not exist. */
export interface LocalPaths {
  readonly tables: string;
  readonly blobs: string;
  readonly runs: string;
  /** The notes of an interrupted verification. */
  readonly verification: string;
  /** Distinguishes this ledger from its copies elsewhere. */
  readonly name: string;
}

export function localPathsOf(url: LedgerUrl, workspace: string = cacheFolder()): LocalPaths {
  const [file] = filesOf(url);
  return file === undefined ? within(workspace, storesOf(url)[0] as StoreUrl) : besideFile(file);
}

/** Tables belong to the file itself, whichever link names it. */
function besideFile(path: string): LocalPaths {
  const own = realPathOf(path);
  return {
    tables: `${own.replace(/\.db$/, '')}.tables`,
    blobs: `${path.replace(/\.(?:db|sqlite|sqlite3)$/, '')}.blobs`,
    runs: `${path}.runs`,
    verification: `${path}.verify.json`,
    name: own,
  };
}

function within(workspace: string, url: StoreUrl): LocalPaths {
  const name = placeNamed(url);
  const folder = join(workspace, `${driverOf(url).scheme}-${sha256(name).slice(0, 8)}`);
  return {
    tables: join(folder, 'tables'),
    blobs: join(folder, 'blobs'),
    runs: join(folder, 'runs'),
    verification: join(folder, 'verify.json'),
    name,
  };
}

/** The blobs of `sqlite:a/ledger.db` are in `folder:a/ledger.blobs`. */
export function blobsBeside(ledgerUrl: string, workspace?: string): string {
  return `folder:${localPathsOf(parseLedgerUrl(ledgerUrl), workspace).blobs}`;
}
