// Copies a ledger, or one run of it, to another place: event by event in the order of the original, in the same bytes, each
// blob before the event that names it. What is there already is not copied again, so that a copy can be interrupted,
// taken up, and brought up to date later. Before anything is written, and again at the end, both are held against each
// other.
import { setImmediate as turn } from 'node:timers/promises';
import { streamOf } from '../../../schemas/streams.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Cursor } from '../event.ts';
import type { Head, Ledger } from '../ledger.ts';
import { Redactions, scopeOf } from '../redactions.ts';
import { streamsOfRun } from '../runs.ts';
import type { StoredEvent } from '../stored.ts';
import { Answers } from './answers.ts';
import { batches } from './batches.ts';
import { BlobCopy, type BlobSink } from './blob-copy.ts';
import { isBeginning, requireBeginning, requireSame } from './common.ts';
import { Ends } from './ends.ts';
import { CopyAhead, CopyOfAll, RunsExtended } from './errors.ts';
import { Extensions } from './extensions.ts';
import { type Parent, parentOf } from './parent.ts';
import { type Proof, proveReplica, proveStreams } from './proof.ts';
import { type Erasing, type RedactedTexts, settleRedacted } from './redacted.ts';
import { Storing } from './storing.ts';
import { allStreams, partsUpTo, type StreamPart } from './stream-parts.ts';

export interface CopyPlaces {
  readonly from: Ledger;
  readonly to: Ledger;
  /** Null where the original has no blob store. */
  readonly fromBlobs: Blobs | null;
  readonly toBlobs: BlobSink;
}

export interface CopyOptions {
  /** The identity of the run to copy; null: everything. */
  readonly run: string | null;
  /** Adds events also to runs, ablations and answers that are there already, in a ledger that is no copy of the original. */
  readonly extend?: boolean;
  /** Of texts that were redacted and are in the copy. Nothing is erased where this is missing. */
  readonly erasing?: Erasing;
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: CopyStep) => Promise<void>;
}

export interface CopyStep {
  readonly doing: 'comparing' | 'copying' | 'proving';
  /** Events. */
  readonly done: number;
  readonly of: number | null;
}

export interface Copied {
  readonly copied: number;
  readonly blobs: number;
  /** Blobs that events name, that are missing or damaged in the original, and that nobody redacted. */
  readonly lostBlobs: readonly string[];
  readonly redacted: RedactedTexts;
  /** Null where no run was asked for, or it is no fork. */
  readonly parent: Parent | null;
  readonly proof: Proof;
}

/** Throws NotACopy, CopyAhead, CopyOfAll, RunsExtended, Diverged, IdTaken, DamagedEvent, NotEqual. */
export async function copyLedger(places: CopyPlaces, options: CopyOptions): Promise<Copied> {
  const { from, to, fromBlobs, toBlobs } = places;
  // Before the end is looked up: what says that a text was redacted is then among what is copied.
  const redacted = new Redactions(from);
  const redactions = await redacted.look();
  const end = await from.head();
  const blobs = new BlobCopy({ from: fromBlobs, to: toBlobs, redactions }, options.signal);
  const copy = new Copy(places, options, { end, blobs });
  const { run } = options;
  const isReplica = run === null && from.id === to.id && haveOneOrder(from, to);
  const proof = isReplica ? await copy.replica() : await copy.streams(run);
  return {
    copied: copy.copied,
    blobs: blobs.brought,
    lostBlobs: await stillLost(redacted, blobs.lost),
    redacted: await settleRedacted(to, toBlobs, await redacted.look(), options.erasing ?? nothingOf(run)),
    parent: run === null ? null : await parentOf(run, from, to),
    proof,
  };
}

class Copy {
  readonly #places: CopyPlaces;
  readonly #options: CopyOptions;
  /** Of the original, when the copy began: what is added later is left to the next. */
  readonly #end: Head;
  readonly #blobs: BlobCopy;
  readonly #storing: Storing;

  constructor(places: CopyPlaces, options: CopyOptions, { end, blobs }: { end: Head; blobs: BlobCopy }) {
    this.#places = places;
    this.#options = options;
    this.#end = end;
    this.#blobs = blobs;
    this.#storing = new Storing(places.from, places.to, blobs, options.signal);
  }

  get copied(): number {
    return this.#storing.copied;
  }

  /** The whole of a ledger into a copy of it: the copy is the beginning of the original, in the same order. */
  async replica(): Promise<Proof> {
    const { from, to } = this.#places;
    const of = this.#end.events;
    const begun = await requireBeginning(from, to, this.#end, this.#telling('comparing', of));
    const there = begun.tree.to;
    const copying = this.#telling('copying', of);
    let looked = 0;
    let after: Cursor | null = null;
    for await (const events of batches(from.readAll({ until: this.#end.cursor }))) {
      const old = events.slice(0, Math.max(0, there - looked));
      await this.#blobs.mend(old);
      await this.#storing.store(events.slice(old.length));
      after = old.at(-1)?.cursor ?? after;
      looked += events.length;
      await copying(looked);
    }
    return await proveReplica(from, to, { begun, after, end: this.#end }, this.#telling('proving', of));
  }

  /**
   * Into a ledger that has, or will have, other events as well, or that has another order: stream by stream, read in the
   * order of the original.
   */
  async streams(run: string | null): Promise<Proof> {
    const { from, to } = this.#places;
    const comparing = this.#telling('comparing', null);
    if (run !== null && from.id === to.id && haveOneOrder(from, to) && (await isBeginning(from, to, comparing)))
      throw new CopyOfAll(from, to);
    const of = await this.#compareStreams(run);
    const answers = run === null ? null : new Answers(from, to);
    const ends = new Ends(to);
    const copying = this.#telling('copying', of);
    let looked = 0;
    for await (const events of batches(from.readAll(await this.#wanted(run)))) {
      if (answers !== null) await this.#storeAnswers(answers.restedOnBy(events), ends);
      await this.#storeMissing(events, ends);
      looked += events.length;
      await copying(looked);
    }
    return await proveStreams(from, to, this.#proved(run, answers), this.#telling('proving', null));
  }

  async #storeAnswers(answers: AsyncIterable<readonly StoredEvent[]>, ends: Ends): Promise<void> {
    for await (const events of batches(answers)) await this.#storeMissing(events, ends);
  }

  async #storeMissing(events: readonly StoredEvent[], ends: Ends): Promise<void> {
    const { missing, there } = await ends.divide(events);
    await this.#blobs.mend(there);
    await this.#storing.store(missing);
  }

  /** How many events are to be copied or there; none of them is another one there. */
  async #compareStreams(run: string | null): Promise<number> {
    const { from, to } = this.#places;
    const comparing = this.#telling('comparing', null);
    const there = (await to.head()).events;
    const extensions = new Extensions(to);
    let events = 0;
    let same = 0;
    for await (const { stream, count } of this.#parts(run)) {
      const before = events;
      if (there > 0) {
        const here = await requireSame(from, to, { stream, to: count - 1 }, (done) => comparing(before + done));
        await extensions.count(stream, here, count);
        same += here;
      }
      events += count;
      await comparing(events);
    }
    // What bears the identity of the original is to hold what that holds, and nothing else.
    if (run === null && from.id === to.id && there > same) throw new CopyAhead(from, to, { from: events, to: there });
    if (there > 0 && isForeign(this.#options, this.#places)) await this.#requireNew(run, extensions);
    return events;
  }

  /** Throws RunsExtended. The answers that a run rests on are known only by reading it. */
  async #requireNew(run: string | null, extensions: Extensions): Promise<void> {
    const { from, to } = this.#places;
    if (run !== null) {
      const answers = new Answers(from, to);
      for await (const events of batches(from.readAll(await this.#wanted(run))))
        for await (const _ of answers.restedOnBy(events)) this.#options.signal?.throwIfAborted();
      for (const { stream, count } of answers.parts())
        await extensions.count(stream, await requireSame(from, to, { stream, to: count - 1 }), count);
    }
    const found = extensions.found();
    if (found.length > 0) throw new RunsExtended(from.url, to.url, found, remedy);
  }

  #parts(run: string | null): AsyncIterable<StreamPart> {
    const { from } = this.#places;
    return partsUpTo(from, run === null ? allStreams(from) : streamsOfRun(from, run), this.#end.cursor);
  }

  async *#proved(run: string | null, answers: Answers | null): AsyncGenerator<StreamPart> {
    yield* this.#parts(run);
    if (answers !== null) yield* answers.parts();
  }

  async #wanted(run: string | null): Promise<{ until: Cursor; streams?: string[] }> {
    const until = this.#end.cursor;
    if (run === null) return { until };
    const streams: string[] = [];
    for await (const { stream } of streamsOfRun(this.#places.from, run)) streams.push(stream);
    return { until, streams };
  }

  #telling(doing: CopyStep['doing'], of: number | null): (done: number) => Promise<void> {
    const { signal, onProgress } = this.#options;
    return async (done) => {
      await onProgress?.({ doing, done, of });
      // Where nothing has to be waited for, nothing else has its turn: not even the signal to stop.
      await turn();
      signal?.throwIfAborted();
    };
  }
}

const remedy =
  'Nothing was written. Where a copy was stopped, or you trust whoever wrote the original with that run, --extend adds them.';

/** Does it go into a ledger that is no copy of the original, and nobody said that what is there may grow? */
function isForeign({ run, extend = false }: CopyOptions, { from, to }: CopyPlaces): boolean {
  return !extend && (run !== null || from.id !== to.id);
}

/** Only then can the one be the beginning of the other, event by event. */
function haveOneOrder(from: Ledger, to: Ledger): boolean {
  return from.capabilities.totalOrder && to.capabilities.totalOrder;
}

/** A text that was redacted while everything else was copied is not lost either. */
async function stillLost(redactions: Redactions, lost: ReadonlyMap<string, string>): Promise<readonly string[]> {
  if (lost.size === 0) return [];
  const known = await redactions.look();
  return Array.from(lost).flatMap(([blob, stream]) => (known.find(stream, blob) === null ? [blob] : []));
}

/** One run may only erase its own texts: others rest on recorded answers as well. */
export function scopesOf(run: string | null): Erasing['scopes'] {
  return run === null ? null : new Set([scopeOf(streamOf.run(run))]);
}

function nothingOf(run: string | null): Erasing {
  return { isAsked: false, scopes: scopesOf(run) };
}
