// Copies a whole ledger, as `icecore ledger copy` does.
import { openBlobs } from '../src/ledger/blobs/open.ts';
import { copyLedger } from '../src/ledger/copy/copy.ts';
import { openLedger } from '../src/ledger/open.ts';

export async function copyAll(original: string, copy: string): Promise<number> {
  const from = await openLedger(`sqlite:${original}`, { readOnly: true });
  const to = await openLedger(`sqlite:${copy}`, { create: true, createAs: from.id });
  const toBlobs = await openBlobs(`folder:${copy}.blobs`, { create: true });
  const { copied } = await copyLedger({ from, to, fromBlobs: null, toBlobs }, { run: null });
  await Promise.all([from.close(), to.close(), toBlobs.close()]);
  return copied;
}
