// What `icecore ledger copy` does. Everything that can be wrong with the original is found before anything of the copy is made.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { RedactedTextsResult } from '../../../schemas/export-output.ts';
import type { CopyResult } from '../../../schemas/output.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobs, openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { BlobTarget, type RedactedText, type RedactedTexts } from '../../ledger/copy/blob-copy.ts';
import { type Copied, type CopyPlaces, type CopyStep, copyLedger, scopesOf } from '../../ledger/copy/copy.ts';
import { LedgerMissing } from '../../ledger/errors.ts';
import type { Ledger, OnWait } from '../../ledger/ledger.ts';
import { blobsBeside } from '../../ledger/local.ts';
import { openLedger, PartAlone } from '../../ledger/open.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
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
import { blobsUrl } from '../../library/opening/blobs.ts';
import { noticingWaits } from '../../library/opening/ledger.ts';
import { absoluteBlobs } from '../../library/place/config.ts';
import { takePasswords } from '../../library/place/passwords.ts';
import { findHome, findPlace } from '../../library/place/place.ts';
import type { Context } from '../context.ts';
import { leftOut } from '../output/left-out.ts';
import { Progress } from '../output/progress.ts';

const nouns = { comparing: 'events compared', copying: 'events', proving: 'events proven' } as const;

export class CopyProgress {
  readonly #context: Context;
  readonly #now: (() => number) | undefined;
  #doing: CopyStep['doing'] | null = null;
  #shown: Progress | null = null;

  constructor(context: Context, now?: () => number) {
    this.#context = context;
    this.#now = now;
  }

  async update({ doing, ...step }: CopyStep): Promise<void> {
    if (doing !== this.#doing) {
      await this.end();
      this.#doing = doing;
      this.#shown = new Progress(this.#context, nouns[doing], this.#now);
    }
    await this.#shown?.update(step);
  }

  async end(): Promise<void> {
    await this.#shown?.end();
  }
}

const mostInJson = 1000;
const mostShown = 20;

export function redactedResult({ erased, erasable, left }: RedactedTexts): RedactedTextsResult {
  return {
    erased: erased.slice(0, mostInJson),
    erasable: erasable.slice(0, mostInJson),
    left: left.slice(0, mostInJson),
  };
}

export async function tellOfRedacted(context: Context, { erased, erasable, left }: RedactedTextsResult): Promise<void> {
  await lines(context, 'ERASED', erased, () => '');
  await lines(context, 'REDACTED', erasable, () => ', its text is still here');
  await lines(context, 'LEFT', left, ({ why }) => `: ${why}`);
  if (erasable.length === 0) return;
  await context.say(`to erase ${counted(erasable.length, 'text')} that were redacted: the same again with --erase`);
}

async function lines<Text extends RedactedText>(
  context: Context,
  word: string,
  texts: readonly Text[],
  more: (text: Text) => string,
): Promise<void> {
  for (const text of texts.slice(0, mostShown)) {
    const { event, stream, field, by } = text;
    await context.print(`${visible(`${word}  ${field} of ${event} in ${stream}, see ${by}${more(text)}`)}\n`);
  }
  if (texts.length > mostShown) await context.print(`${word}  ${counted(texts.length - mostShown, 'more text')}\n`);
}

type Places = CopyPlaces;

interface Urls {
  readonly from: string;
  readonly to: string;
}

interface Wanted {
  readonly urls: Urls;
  /** A copy of everything to a new place bears the identity of the original. */
  readonly isWhole: boolean;
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
}

async function withOriginal<Result>(
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
  const original = await openOriginal(urls.from, noticingWaits(context.session, 'the original'));
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

async function withCopyPlaces<Result>(
  context: Context,
  from: Ledger,
  { urls, isWhole, ...blobs }: Wanted,
  body: (places: Places) => Promise<Result>,
): Promise<Result> {
  const fromBlobs = await blobsOfOriginal(context, urls, blobs.fromBlobs);
  try {
    const onWait = noticingWaits(context.session, 'the copy');
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
  const { io, session } = context;
  if (named !== undefined) return await openBlobs(absoluteBlobs(named, io.cwd), { readOnly: true });
  const isRestored = urls.to === ledgerHere(context);
  if (isRestored) return await openBlobsIfThere(blobsBeside(urls.from, findHome(context.io).path));
  const isHere = urls.from === ledgerHere(context);
  return await openBlobsIfThere(blobsUrl(isHere ? session : { ...session, ledger: urls.from }));
}

function blobsOfCopy(context: Context, urls: Urls, named: string | undefined): string {
  if (named !== undefined) return absoluteBlobs(named, context.io.cwd);
  return urls.to === ledgerHere(context) ? blobsUrl(context.session) : blobsBeside(urls.to, findHome(context.io).path);
}

/** What names the blobs of this one, ICECORE_BLOBS or the settings, is not meant for the other: they would share them. */
function ledgerHere({ session }: Context): string {
  return findPlace(session).ledger.url;
}

/** By whatever name, link or detour; in whole or in part. */
function isSamePlace(from: LedgerUrl, to: LedgerUrl): boolean {
  const places = new Set(namesOf(from));
  return namesOf(to).some((one) => one !== 'none' && places.has(one));
}

function namesOf(url: LedgerUrl): readonly string[] {
  return [...storesOf(url).map(placeNamed), ...filesOf(url).map(fileIdentity)];
}

interface CopyOptions {
  readonly run?: string;
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
  readonly erase?: true;
  readonly extend?: true;
}

export async function copy(context: Context, [from, to]: [string, string], options: CopyOptions): Promise<number> {
  return await withOriginal(context, { from, to }, async (original, urls) => {
    const run = options.run === undefined ? null : (await findRun(original, options.run)).run;
    const wanted = { ...options, urls, isWhole: run === null };
    return await withCopyPlaces(context, original, wanted, (places) =>
      copyBetween(context, places, { run, erase: options.erase === true, extend: options.extend === true }),
    );
  });
}

interface Wish {
  readonly run: string | null;
  /** Whether redacted texts are to be erased in the copy. */
  readonly erase: boolean;
  /** Whether what the copy has already may grow, where it is a ledger of its own. */
  readonly extend: boolean;
}

async function copyBetween(context: Context, places: Places, { run, erase, extend }: Wish): Promise<number> {
  const progress = new CopyProgress(context);
  const started = performance.now();
  try {
    const copied = await copyLedger(places, {
      run,
      extend,
      erasing: { isAsked: erase, scopes: scopesOf(run) },
      signal: context.signal,
      onProgress: (step) => progress.update(step),
    });
    await progress.end();
    const result = resultOf(copied, { places, run, seconds: (performance.now() - started) / 1000 });
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    return result.lost > 0 ? 1 : 0;
  } catch (error) {
    await progress.end();
    if (context.signal.aborted) await context.say(stopped(places, run));
    throw error;
  } finally {
    await progress.end();
  }
}

function stopped({ from, to }: Places, run: string | null): string {
  const same = run === null && from.id === to.id ? 'run the same again' : 'run the same again with --extend';
  return `stopped; ${same} to go on: what was copied stays`;
}

interface Circumstances {
  readonly places: Places;
  readonly run: string | null;
  readonly seconds: number;
}

const mostLost = 1000;

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
    lostBlobs: lostBlobs.slice(0, mostLost),
    redacted: redactedResult(redacted),
    unreported,
    ownStreams: [...ownStreams],
    streams: proof.streams,
    root: proof.root,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round(copied / seconds) : 0,
  };
}

async function tell(context: Context, result: CopyResult): Promise<void> {
  const { events, copied, blobs, lost, lostBlobs, root, seconds, perSecond, to } = result;
  const parts = [
    `copied ${counted(copied, 'event')}`,
    blobs > 0 ? counted(blobs, 'blob') : '',
    copied < events ? `${count(events - copied)} were there` : '',
    `${duration(seconds)}, ${count(perSecond)}/s`,
  ];
  await context.print(`${parts.filter((part) => part !== '').join('; ')}\n`);
  await context.print(`${visible(`equal: ${to} has the same ${counted(events, 'event')}, root ${root}`)}\n`);
  for (const blob of lostBlobs) await context.print(`LOST: blob ${blob} is missing or damaged in the original\n`);
  if (lost > lostBlobs.length) await context.print(`LOST: ${counted(lost - lostBlobs.length, 'more blob')}\n`);
  if (lost > 0) await context.say('put lost blobs back where the original has its blobs, then run the same again');
  await tellOfRedacted(context, result.redacted);
  await tellOfUnreported(context, result);
  if (result.ownStreams.length > 0)
    await context.print(`${visible(leftOut(result.ownStreams, 'copy of everything'))}\n`);
  await tellOfParent(context, result);
}

async function tellOfUnreported(context: Context, { unreported: { streams, events }, to }: CopyResult): Promise<void> {
  if (streams === 0) return;
  const what = `${counted(events, 'event')} of evidence in ${counted(streams, 'stream')} that no run event reports`;
  if (to.startsWith('split:')) {
    await context.print(`not shown in the copy: ${what}\n`);
    await context.hint(
      'a split ledger shows evidence that is sealed: icecore ledger seal in the original, then copy again',
    );
  } else await context.print(`not copied: ${what}\n`);
}

async function tellOfParent(context: Context, { parent, from, to }: CopyResult): Promise<void> {
  if (parent === null || parent.isThere) return;
  const { run, stage } = parent;
  await context.print(`a fork: the history it shares, run ${run} up to stage ${stage}, is not in the copy\n`);
  await context.hint(`to bring it: icecore ledger copy ${shellWord(from)} ${shellWord(to)} --run ${run}`);
}
