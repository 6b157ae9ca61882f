// Opening what is copied and where it goes. Everything that can be wrong with the original is found before anything of
// the copy is made.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobs, openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { BlobTarget } from '../../ledger/copy/blob-copy.ts';
import type { CopyPlaces } from '../../ledger/copy/copy.ts';
import { LedgerMissing } from '../../ledger/errors.ts';
import type { Ledger, OnWait } from '../../ledger/ledger.ts';
import { blobsBeside } from '../../ledger/local.ts';
import { openLedger, PartAlone } from '../../ledger/open.ts';
import { fileIdentity } from '../../ledger/sqlite/connection.ts';
import {
  absolute,
  filesOf,
  type LedgerUrl,
  parseLedgerUrl,
  placeNamed,
  storesOf,
  textOf,
} from '../../ledger/stores.ts';
import { blobsUrl } from '../blobs.ts';
import { absoluteBlobs } from '../config.ts';
import type { Context } from '../context.ts';
import { findHome, findPlace } from '../home.ts';
import { takePasswords } from '../passwords.ts';
import { sayingWaits } from '../waiting.ts';

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
  const place = (url: string): LedgerUrl => absolute(parseLedgerUrl(url), context.io.cwd);
  const [from, to] = [place(named.from), place(named.to)];
  for (const url of [from, to]) takePasswords(url);
  const urls = { from: textOf(from), to: textOf(to) };
  if (isSamePlace(from, to)) {
    throw new IcecoreError('usage', `${named.from} cannot be copied onto itself`, {
      facts: urls,
      remedy: 'Both are the same file, or have one in common. Name another place to copy to.',
    });
  }
  const original = await openOriginal(urls.from, sayingWaits(context, 'the original'));
  try {
    return await body(original, urls);
  } finally {
    await original.close();
  }
}

async function openOriginal(url: string, onWait: OnWait): Promise<Ledger> {
  try {
    const original = await openLedger(url, { readOnly: true, onWait });
    if (original.part === undefined) return original;
    await original.close();
    throw new PartAlone(url, original.part);
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
    const onWait = sayingWaits(context, 'the copy');
    const to = await openLedger(urls.to, { create: true, onWait, ...(isWhole ? { createAs: from.id } : {}) });
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
  if (isRestored) return await openBlobsIfThere(blobsBeside(urls.from, findHome(context.io).path));
  const isHere = urls.from === ledgerHere(context);
  return await openBlobsIfThere(blobsUrl({ io, flags: isHere ? flags : { ...flags, ledger: urls.from } }));
}

function blobsOfCopy(context: Context, urls: Urls, named: string | undefined): string {
  if (named !== undefined) return absoluteBlobs(named, context.io.cwd);
  return urls.to === ledgerHere(context) ? blobsUrl(context) : blobsBeside(urls.to, findHome(context.io).path);
}

/** What names the blobs of this one, ICECORE_BLOBS or the settings, is not meant for the other: they would share them. */
function ledgerHere({ io, flags }: Context): string {
  return findPlace(io, flags).ledger.url;
}

/** By whatever name, link or detour; in whole or in part. */
function isSamePlace(from: LedgerUrl, to: LedgerUrl): boolean {
  const places = new Set(namesOf(from));
  return namesOf(to).some((one) => one !== 'none' && places.has(one));
}

function namesOf(url: LedgerUrl): readonly string[] {
  return [...storesOf(url).map(placeNamed), ...filesOf(url).map(fileIdentity)];
}
