// Where a ledger's blobs are when nobody says otherwise: in a folder beside its file.
import { parseLedgerUrl } from '../open.ts';

/** `sqlite:a/ledger.db` has its blobs in `folder:a/ledger.blobs`. */
export function blobsBeside(ledgerUrl: string): string {
  const { place } = parseLedgerUrl(ledgerUrl);
  return `folder:${place.replace(/\.(?:db|sqlite|sqlite3)$/, '')}.blobs`;
}
