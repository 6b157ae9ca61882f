// `ledger copy`: backs up or moves a ledger, or one run.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { CopyResult } from '../../../schemas/output.ts';
import { fileIdentity } from '../../base/regular-file.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobs, openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { BlobTarget } from '../../ledger/copy/blob-copy.ts';
import {
  type Copied,
  type CopyStep,
  copyLedger as copyEvents,
  type CopyPlaces as Places,
  scopesOf,
} from '../../ledger/copy/copy.ts';
import { LedgerMissing } from '../../ledger/errors.ts';
import type { Ledger, OnWait } from '../../ledger/ledger.ts';
import { blobsBeside } from '../../ledger/local-paths.ts';
import { openLedger, partAlone } from '../../ledger/open.ts';
import {
  absolute,
  filesOf,
  type LedgerUrl,
  parseLedgerUrl,
  placeNamed,
  storesOf,
  textOf,
} from '../../ledger/stores.ts';
import { blobsUrl } from '../opening/blobs.ts';
import { noticingWaits } from '../opening/ledger.ts';
import { absoluteBlobs } from '../place/config.ts';
import { takePasswords } from '../place/passwords.ts';
import { findPlace, findWorkspace } from '../place/place.ts';
import { redactedIn } from '../redacted.ts';
import { runNamed } from '../run-named.ts';
import { type Session, StepProgress } from '../session.ts';

const steps: Readonly<Record<CopyStep['doing'], string>> = {
  comparing: 'events compared',
  copying: 'events',
  proving: 'events proven',
};

interface Urls {
  readonly from: string;
  readonly to: string;
}

interface CopyRequest {
  readonly urls: Urls;
  /** A complete copy to a new place has the identity of the original. */
  readonly isWhole: boolean;
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
}

async function withOriginal<Result>(
  session: Session,
  named: Urls,
  body: (original: Ledger, urls: Urls) => Promise<Result>,
): Promise<Result> {
  const place = (url: string): LedgerUrl => absolute(parseLedgerUrl(url), session.cwd);
  const [from, to] = [place(named.from), place(named.to)];
  for (const url of [from, to]) takePasswords(url);
  const urls = { from: textOf(from), to: textOf(to) };
  if (isSamePlace(from, to)) {
    throw new IcecoreError('usage', `${named.from} cannot be copied onto itself`, {
      facts: urls,
      remedy: 'Both are the same file, or share one. Choose another destination.',
    });
  }
  const original = await openOriginal(urls.from, noticingWaits(session, 'the original'));
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
    throw partAlone(url, original.part);
  } catch (error) {
    if (!(error instanceof LedgerMissing)) throw error;
    throw new LedgerMissing(url, 'Nothing was copied. Name the ledger to copy first, then the destination.');
  }
}

async function withCopyPlaces<Result>(
  session: Session,
  from: Ledger,
  { urls, isWhole, ...blobs }: CopyRequest,
  body: (places: Places) => Promise<Result>,
): Promise<Result> {
  const fromBlobs = await blobsOfOriginal(session, urls, blobs.fromBlobs);
  try {
    const onWait = noticingWaits(session, 'the copy');
    const to = await openLedger(urls.to, { create: true, onWait, ...(isWhole ? { createAs: from.id } : {}) });
    try {
      const toBlobs = await BlobTarget.at(blobsOfCopy(session, urls, blobs.toBlobs));
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

/** Named stores must exist. */
async function blobsOfOriginal(session: Session, urls: Urls, named: string | undefined): Promise<Blobs | null> {
  if (named !== undefined) return await openBlobs(absoluteBlobs(named, session.cwd), { readOnly: true });
  const isRestored = urls.to === ledgerHere(session);
  if (isRestored) return await openBlobsIfThere(blobsBeside(urls.from, findWorkspace(session).path));
  const isHere = urls.from === ledgerHere(session);
  return await openBlobsIfThere(blobsUrl(isHere ? session : { ...session, ledger: urls.from }));
}

function blobsOfCopy(session: Session, urls: Urls, named: string | undefined): string {
  if (named !== undefined) return absoluteBlobs(named, session.cwd);
  return urls.to === ledgerHere(session) ? blobsUrl(session) : blobsBeside(urls.to, findWorkspace(session).path);
}

/** ICECORE_BLOBS or the settings apply to the current ledger only; otherwise both would share the blobs. */
function ledgerHere(session: Session): string {
  return findPlace(session).ledger.url;
}

/** Compares real locations of all parts. */
function isSamePlace(from: LedgerUrl, to: LedgerUrl): boolean {
  const places = new Set(namesOf(from));
  return namesOf(to).some((one) => one !== null && places.has(one));
}

function namesOf(url: LedgerUrl): readonly (string | null)[] {
  return [...storesOf(url).map(placeNamed), ...filesOf(url).map(fileIdentity)];
}

/** What to copy, and what may change in the copy. */
export interface CopyOptions {
  /** One run instead of everything. */
  readonly run?: string;
  /** The blob store of the original, if it is not next to it. */
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
  /** Erase texts in the copy that were redacted in the original. */
  readonly erase?: boolean;
  /** Extend a copy that has its own identity and contains a part already. */
  readonly extend?: boolean;
}

/** Copies a ledger or one run. Errors of the original are found before anything is created. */
export async function copyLedger(
  session: Session,
  [from, to]: readonly [from: string, to: string],
  options: CopyOptions = {},
): Promise<CopyResult> {
  return await withOriginal(session, { from, to }, async (original, urls) => {
    const run = options.run === undefined ? null : (await runNamed(session, original, options.run)).run;
    return await withCopyPlaces(session, original, { ...options, urls, isWhole: run === null }, (places) =>
      copyBetween(session, places, run, options),
    );
  });
}

async function copyBetween(
  session: Session,
  places: Places,
  run: string | null,
  { erase = false, extend = false }: CopyOptions,
): Promise<CopyResult> {
  const progress = new StepProgress(session, steps);
  const started = performance.now();
  try {
    const copied = await copyEvents(places, {
      run,
      extend,
      erasing: { isAsked: erase, scopes: scopesOf(run) },
      signal: session.signal,
      onProgress: (step) => progress.update(step),
    });
    return resultOf(copied, { places, run, seconds: (performance.now() - started) / 1000 });
  } catch (error) {
    await progress.end();
    if (session.signal.aborted) await session.notify({ kind: 'note', text: stopped(places, run) });
    throw error;
  } finally {
    await progress.end();
  }
}

function stopped({ from, to }: Places, run: string | null): string {
  const same = run === null && from.id === to.id ? 'run the same again' : 'run the same again with --extend';
  return `stopped; ${same} to continue: everything copied so far is kept`;
}

interface Circumstances {
  readonly places: Places;
  readonly run: string | null;
  readonly seconds: number;
}

const maxLost = 1000;

function resultOf(
  { copied, blobs, lostBlobs, redacted, parent, unreported, ownStreams, proof }: Copied,
  { places, run, seconds }: Circumstances,
): CopyResult {
  return {
    from: places.from.url,
    to: places.to.url,
    run,
    parent,
    events: proof.events,
    copied,
    blobs,
    lost: lostBlobs.length,
    lostBlobs: lostBlobs.slice(0, maxLost),
    redacted: redactedIn(redacted),
    unreported,
    ownStreams: [...ownStreams],
    streams: proof.streams,
    root: proof.root,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round(copied / seconds) : 0,
  };
}
