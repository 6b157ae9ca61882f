// Where a ledger's blobs are when nobody says otherwise: in a folder beside it.
import { localOf } from '../local.ts';
import { parseLedgerUrl } from '../url.ts';

/** `sqlite:a/ledger.db` has its blobs in `folder:a/ledger.blobs`; `home` is for ledgers that are in no file. */
export function blobsBeside(ledgerUrl: string, home?: string): string {
  return `folder:${localOf(parseLedgerUrl(ledgerUrl), home).blobs}`;
}
