// Where the blobs of a ledger are: named by ICECORE_BLOBS or the settings, else beside the ledger.

import { blobsBeside } from '../ledger/blobs/beside.ts';
import type { Blobs } from '../ledger/blobs/blobs.ts';
import { openBlobs } from '../ledger/blobs/open.ts';
import type { Context } from './context.ts';
import { findPlace } from './home.ts';

/** The URL of the blob store of the ledger at hand. */
export function blobsUrl(context: Pick<Context, 'io' | 'flags'>): string {
  const { config, ledger } = findPlace(context.io, context.flags);
  // What is settled for one ledger is not meant for another that was named instead.
  const isSettled = ledger.from !== '--ledger';
  const named = context.io.env['ICECORE_BLOBS'] || (isSettled ? config?.blobs : undefined);
  return named ?? blobsBeside(ledger.url);
}

export async function withBlobs<Result>(
  url: string,
  access: { readonly create?: boolean; readonly readOnly?: boolean },
  body: (blobs: Blobs) => Promise<Result>,
): Promise<Result> {
  const blobs = await openBlobs(url, access);
  try {
    return await body(blobs);
  } finally {
    await blobs.close();
  }
}
