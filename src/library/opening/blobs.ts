// The blobs of a ledger: named by ICECORE_BLOBS or the settings, else next to the ledger.
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobs, openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { blobsBeside } from '../../ledger/local-paths.ts';
import { Gate } from '../consent/gate.ts';
import { requestsOfBlobs } from '../consent/requests.ts';
import { absoluteBlobs, requestsOf } from '../place/config.ts';
import { findPlace } from '../place/place.ts';
import type { Caller } from '../session.ts';

/** The URL of the blob store of the current ledger. Throws Untrusted if settings name it and this user has not allowed that. */
export function blobsUrl(caller: Caller): string {
  const { workspace, config, ledger } = findPlace(caller);
  const named = caller.env['ICECORE_BLOBS'];
  if (named) return absoluteBlobs(named, caller.cwd);
  // The setting belongs to the configured ledger, not to one that was named instead.
  const isSettled = ledger.from === 'config' || ledger.from === 'workspace';
  if (!isSettled || config?.blobs === undefined) return blobsBeside(ledger.url, workspace.path);
  const { folder } = config;
  const url = absoluteBlobs(config.blobs, folder);
  new Gate(caller).requireRequests(config, requestsOfBlobs(url, folder, caller.env), () =>
    requestsOf(config, caller.env),
  );
  return url;
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

/** A blob store that is opened, or created, on first use. */
export class OpenedBlobs {
  readonly url: string;
  #reading: Blobs | null = null;
  #writing: Promise<Blobs> | null = null;

  constructor(url: string) {
    this.url = url;
  }

  /** Null if it does not exist. */
  async toRead(): Promise<Blobs | null> {
    if (this.#writing !== null) return await this.#writing;
    this.#reading ??= await openBlobsIfThere(this.url);
    return this.#reading;
  }

  toWrite(): Promise<Blobs> {
    this.#writing ??= openBlobs(this.url, { create: true });
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.#reading?.close();
    // An error of opening was thrown to the caller already.
    await this.#writing?.then(
      (blobs) => blobs.close(),
      () => {},
    );
  }
}
