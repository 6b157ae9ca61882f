// A blob store that need not be there: a ledger whose events name no blobs has none.
import type { Blobs } from './blobs.ts';
import { BlobStoreMissing } from './errors.ts';
import { openBlobs } from './open.ts';

/** To read; null where there is none. */
export async function openBlobsIfThere(url: string): Promise<Blobs | null> {
  try {
    return await openBlobs(url, { readOnly: true });
  } catch (error) {
    if (error instanceof BlobStoreMissing) return null;
    throw error;
  }
}
