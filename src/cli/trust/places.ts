// Opening what is copied and where it goes. Everything that can be wrong with the original is found before anything of
// the copy is made.
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { blobsBeside } from '../../ledger/blobs/beside.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobsIfThere } from '../../ledger/blobs/if-there.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { BlobTarget } from '../../ledger/copy/blob-target.ts';
import type { CopyPlaces } from '../../ledger/copy/copy.ts';
import { LedgerMissing } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger, parseLedgerUrl } from '../../ledger/open.ts';
import { fileIdentity } from '../../ledger/sqlite/connection.ts';
import { absoluteBlobs, blobsUrl } from '../blobs.ts';
import type { Context } from '../context.ts';
import { findPlace } from '../home.ts';

export type Places = CopyPlaces;

interface Urls {
  readonly from: string;
  readonly to: string;
}

export interface Wanted {
  readonly urls: Urls;
  /** A copy of everything to a new place bears the identity of the original. */
  readonly isWhole: boolean;
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
}

export async function withOriginal<Result>(
  context: Context,
  named: Urls,
  body: (original: Ledger, urls: Urls) => Promise<Result>,
): Promise<Result> {
  const urls = { from: absolute(named.from, context), to: absolute(named.to, context) };
  if (isSamePlace(urls)) {
    throw new IcecoreError('usage', `${named.from} cannot be copied onto itself`, {
      facts: urls,
      remedy: 'Both are the same file. Name another place to copy to.',
    });
  }
  const original = await openOriginal(urls.from);
  try {
    return await body(original, urls);
  } finally {
    await original.close();
  }
}

async function openOriginal(url: string): Promise<Ledger> {
  try {
    return await openLedger(url, { readOnly: true });
  } catch (error) {
    if (!(error instanceof LedgerMissing)) throw error;
    throw new LedgerMissing(url, 'Nothing was copied. Name the ledger to copy first, then the place to copy it to.');
  }
}

export async function withCopyPlaces<Result>(
  context: Context,
  from: Ledger,
  { urls, isWhole, ...blobs }: Wanted,
  body: (places: Places) => Promise<Result>,
): Promise<Result> {
  const fromBlobs = await blobsOfOriginal(context, urls, blobs.fromBlobs);
  try {
    const to = await openLedger(urls.to, { create: true, ...(isWhole ? { createAs: from.id } : {}) });
    try {
      const toBlobs = await BlobTarget.at(blobsOfCopy(context, urls, blobs.toBlobs));
      try {
        return await body({ from, to, fromBlobs, toBlobs });
      } finally {
        await toBlobs.close();
      }
    } finally {
      await to.close();
    }
  } finally {
    await fromBlobs?.close();
  }
}

/** Where they were named, they must be there. */
async function blobsOfOriginal(context: Context, urls: Urls, named: string | undefined): Promise<Blobs | null> {
  const { io, flags } = context;
  if (named !== undefined) return await openBlobs(absoluteBlobs(named, io.cwd), { readOnly: true });
  const isRestored = urls.to === ledgerHere(context);
  if (isRestored) return await openBlobsIfThere(blobsBeside(urls.from));
  const isHere = urls.from === ledgerHere(context);
  return await openBlobsIfThere(blobsUrl({ io, flags: isHere ? flags : { ...flags, ledger: urls.from } }));
}

function blobsOfCopy(context: Context, urls: Urls, named: string | undefined): string {
  if (named !== undefined) return absoluteBlobs(named, context.io.cwd);
  return urls.to === ledgerHere(context) ? blobsUrl(context) : blobsBeside(urls.to);
}

/** What names the blobs of this one, ICECORE_BLOBS or the settings, is not meant for the other: they would share them. */
function ledgerHere({ io, flags }: Context): string {
  return findPlace(io, flags).ledger.url;
}

/** By whatever name, link or detour. */
function isSamePlace(urls: Urls): boolean {
  if (urls.from === urls.to) return true;
  const [from, to] = [urls.from, urls.to].map((url) => fileIdentity(parseLedgerUrl(url).place));
  return from === to && from !== 'none';
}

/** Every ledger of today is a file; a relative path is meant from here. */
function absolute(url: string, { io }: Context): string {
  const { scheme, place } = parseLedgerUrl(url);
  return `${scheme}:${resolve(io.cwd, place)}`;
}
