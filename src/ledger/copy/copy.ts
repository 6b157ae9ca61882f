// Copies a ledger, or one run of it, to another place: event by event in the order of the original, in the same bytes, each
// blob before the event that names it. Existing events are not copied again, so a copy can be interrupted, resumed, and updated
// later. Both ledgers are compared before anything is written, and again at the end.
import { setImmediate as turn } from 'node:timers/promises';
import { streamOf } from '../../../schemas/streams.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { DamagedEvent, Diverged, DuplicateId, WrongRevision } from '../errors.ts';
import type { Cursor } from '../event.ts';
import { eventAt, type Head, type Ledger, lastEventOf, type StreamEnd } from '../ledger.ts';
import { Redactions, scopeOf } from '../redactions.ts';
import { ownStreams, streamsOfRun } from '../runs.ts';
import type { StoredEvent } from '../stored.ts';
import { Answers, batches } from './answers.ts';
import { BlobCopy, type BlobSink, type Erasing, type RedactedTexts, settleRedacted } from './blob-copy.ts';
import {
  compare,
  isBeginning,
  type Progress,
  type Proof,
  partsUpTo,
  proveStreams,
  requireBeginning,
  requireSame,
  type StreamPart,
} from './compare.ts';
import { copyAhead, copyOfAll, idTaken, notEqual, runsExtended } from './errors.ts';

/** The ledgers and blob stores between which to copy. */
export interface CopyPlaces {
  readonly from: Ledger;
  readonly to: Ledger;
  /** Null: the original has no blob store. */
  readonly fromBlobs: Blobs | null;
  readonly toBlobs: BlobSink;
}

/** What to copy, and what the copy may change in a ledger that already has events. */
export interface CopyOptions {
  /** The id of the run to copy; null: everything. */
  readonly run: string | null;
  /** Adds events also to existing runs, ablations and answers, in a ledger that is not a copy of the original. */
  readonly extend?: boolean;
  /** For redacted texts that are in the copy. If absent, nothing is erased. */
  readonly erasing?: Erasing;
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: CopyStep) => Promise<void>;
}

/** The progress of a copy. */
export interface CopyStep {
  readonly doing: 'comparing' | 'copying' | 'proving';
  /** The number of events. */
  readonly done: number;
  readonly of: number | null;
}

/** What was copied, and the proof that both ledgers agree. */
export interface Copied {
  readonly copied: number;
  readonly blobs: number;
  /** Blobs that events name but that are missing or damaged in the original without a redaction. */
  readonly lostBlobs: readonly string[];
  readonly redacted: RedactedTexts;
  /** Null: everything was copied, or the run is not a fork. */
  readonly parent: Parent | null;
  /** Evidence that no run event reports; it is not copied from a split ledger, and is stored but not read in one. */
  readonly unreported: { readonly streams: number; readonly events: number };
  /** Streams `x-…` of the original that were left out because only one run was copied. */
  readonly ownStreams: readonly string[];
  readonly proof: Proof;
}

/** A fork shares the history of its parent by reference, so copying the fork does not copy the parent. */
export interface Parent {
  readonly run: string;
  /** The last shared stage. */
  readonly stage: number;
  /** Whether the copy has the parent's decisions up to that stage. */
  readonly isThere: boolean;
}

/** Throws NotACopy, CopyAhead, CopyOfAll, RunsExtended, Diverged, IdTaken, DamagedEvent, NotEqual. */
export async function copyLedger(places: CopyPlaces, options: CopyOptions): Promise<Copied> {
  const { from, to, fromBlobs, toBlobs } = places;
  const { run, signal } = options;
  // Before the end is looked up, so that the redactions are part of what is copied.
  const redactions = new Redactions(from);
  const redacted = await redactions.look();
  const end = await from.head();
  const blobs = new BlobCopy(fromBlobs, toBlobs, redacted, signal);
  const copy = new Copy(places, options, end, blobs);
  const proof = run === null && haveOneOrder(from, to) ? await copy.replica() : await copy.streams();
  // A text that was redacted during the copy is not lost either.
  await redactions.look();
  const lost = [...blobs.lost].filter(([blob, stream]) => redacted.find(stream, blob) === null);
  const erasing = options.erasing ?? { isAsked: false, scopes: scopesOf(run) };
  return {
    copied: copy.copied,
    blobs: blobs.brought,
    lostBlobs: lost.map(([blob]) => blob),
    redacted: await settleRedacted(to, toBlobs, redacted, erasing),
    parent: run === null ? null : await parentOf(run, from, to),
    unreported: await unreportedIn(from, to, run),
    ownStreams: run === null ? [] : await ownStreams(from),
    proof,
  };
}

async function unreportedIn(from: Ledger, to: Ledger, run: string | null): Promise<Copied['unreported']> {
  const found = { streams: 0, events: 0 };
  const prefix = run === null ? 'evidence-' : `evidence-${run}-`;
  const add = (events: number): void => {
    found.streams++;
    found.events += events;
  };
  if (from.unreported !== undefined) {
    for await (const page of from.unreported())
      for (const { stream, events } of page) if (stream.startsWith(prefix)) add(events);
  } else if (to.capabilities.attempts === 'reported') {
    const listed = new Set<string>();
    for await (const { stream } of streamsIn(to, prefix)) listed.add(stream);
    for await (const { stream, revision } of streamsIn(from, prefix)) if (!listed.has(stream)) add(revision + 1);
  }
  return found;
}

/** The number of streams whose ends are cached. */
const mostRemembered = 10_000;

class Copy {
  readonly #from: Ledger;
  readonly #to: Ledger;
  readonly #options: CopyOptions;
  /** The end of the original when the copy started; later events are left to the next copy. */
  readonly #end: Head;
  readonly #blobs: BlobCopy;
  /** The last revisions of the copy's streams: looked up once, and updated as they grow. */
  readonly #last = new RecentMap<string, number>(mostRemembered);
  copied = 0;

  constructor({ from, to }: CopyPlaces, options: CopyOptions, end: Head, blobs: BlobCopy) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
    this.#end = end;
    this.#blobs = blobs;
  }

  /** Copies a whole ledger to its copy, which is the beginning of the original in the same order. */
  async replica(): Promise<Proof> {
    const [from, to, end] = [this.#from, this.#to, this.#end];
    const there = await to.head();
    const tree = await requireBeginning(from, to, end, there, this.#progress('comparing', end.events));
    const begun = tree.to;
    const copying = this.#progress('copying', end.events);
    let looked = 0;
    let after: Cursor | null = null;
    for await (const events of this.#events()) {
      const old = events.slice(0, Math.max(0, begun - looked));
      await this.#store(old, events.slice(old.length));
      after = old.at(-1)?.cursor ?? after;
      looked += events.length;
      await copying(looked);
    }
    // The beginning was compared before, and is part of the tree.
    const [rest, copied] = [from.digests({ after, until: end.cursor }), to.digests({ after: there.cursor })];
    const { next } = await compare(rest, copied, tree, this.#progress('proving', end.events));
    // A concurrent copy may have come further.
    if (next.here !== null) throw notEqual(`event ${tree.to + 1}`, to);
    return { events: tree.to, streams: null, root: tree.root() };
  }

  /**
   * Copies into a ledger that has, or will have, other events as well, or has another order: stream by stream, read in the order
   * of the original.
   */
  async streams(): Promise<Proof> {
    const [from, to] = [this.#from, this.#to];
    const isOfRun = this.#options.run !== null;
    if (isOfRun && haveOneOrder(from, to) && (await isBeginning(from, to, this.#progress('comparing', null))))
      throw copyOfAll(from, to);
    const copying = this.#progress('copying', await this.#compareStreams());
    const answers = isOfRun ? new Answers(from, to) : null;
    let looked = 0;
    for await (const events of this.#events()) {
      if (answers !== null)
        for await (const some of batches(answers.restedOnBy(events))) await this.#storeMissing(some);
      await this.#storeMissing(events);
      looked += events.length;
      await copying(looked);
    }
    return await proveStreams(from, to, this.#parts(answers), this.#progress('proving', null));
  }

  async #storeMissing(events: readonly StoredEvent[]): Promise<void> {
    const there: StoredEvent[] = [];
    const missing: StoredEvent[] = [];
    for (const event of events) {
      const { stream, revision } = event;
      const last = this.#last.get(stream) ?? (await lastEventOf(this.#to, stream))?.revision ?? -1;
      (revision <= last ? there : missing).push(event);
      this.#last.set(stream, Math.max(revision, last));
    }
    await this.#store(there, missing);
  }

  /** Copies the blobs first, then all missing events, or those before a damaged one. Throws DamagedEvent, Diverged, IdTaken. */
  async #store(there: readonly StoredEvent[], missing: readonly StoredEvent[]): Promise<void> {
    await this.#blobs.bring(there, false);
    await this.#blobs.bring(missing, true);
    try {
      await this.#replicate(missing);
    } catch (error) {
      const fault = await this.#faultIn(error);
      if (fault instanceof DamagedEvent) {
        const at = missing.findIndex(({ stream, revision }) => stream === fault.stream && revision === fault.revision);
        await this.#replicate(missing.slice(0, Math.max(at, 0)));
      }
      throw fault;
    }
  }

  async #replicate(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { existed } = await this.#to.replicate(events, this.#options.signal);
    this.copied += events.length - existed;
  }

  /** A refusal of the copy may be caused by the original: an event without, or with another, predecessor. */
  async #faultIn(error: unknown): Promise<unknown> {
    if (error instanceof DuplicateId) return idTaken(error, this.#to);
    if (error instanceof WrongRevision && typeof error.expected === 'number') {
      return new DamagedEvent(error.stream, error.expected + 1, 'the event before it is missing');
    }
    if (!(error instanceof Diverged) || (await eventAt(this.#from, error))?.digest !== error.found) return error;
    return new DamagedEvent(error.stream, error.revision + 1, 'it follows another event than the one before it');
  }

  /** The number of events to be copied or present; none of them may differ. Throws Diverged, CopyAhead, RunsExtended. */
  async #compareStreams(): Promise<number> {
    const [from, to] = [this.#from, this.#to];
    const { run, extend } = this.#options;
    const comparing = this.#progress('comparing', null);
    const there = (await to.head()).events;
    const added = new Map<string, number>();
    let events = 0;
    let same = 0;
    for await (const part of this.#parts(null)) {
      if (there > 0) same += await this.#compareStream(part, added, (done) => comparing(events + done));
      events += part.count;
      await comparing(events);
    }
    const isForeign = run !== null || from.id !== to.id;
    // A ledger with the id of the original must contain the same and nothing else.
    if (!isForeign && there > same) throw copyAhead(from, to, { from: events, to: there });
    if (there > 0 && isForeign && extend !== true) await this.#requireNew(added);
    return events;
  }

  /**
   * The number of events that both have. What the stream would add to its run, ablation or answer goes into `added`, unless it
   * alone makes an answer or an ablation that the target does not have.
   */
  async #compareStream(
    { stream, count }: StreamPart,
    added: Map<string, number>,
    progress?: Progress,
  ): Promise<number> {
    const same = await requireSame(this.#from, this.#to, { stream, to: count - 1 }, progress);
    const of = scopeOf(stream);
    if (count > same && (same > 0 || of !== stream)) added.set(of, (added.get(of) ?? 0) + count - same);
    return same;
  }

  /**
   * Throws RunsExtended if the copy would add to runs, ablations or recorded answers that exist in the target: the creator of
   * the original may have put anything into them. The answers that a run cites are known only by reading it.
   */
  async #requireNew(added: Map<string, number>): Promise<void> {
    const [from, to] = [this.#from, this.#to];
    if (this.#options.run !== null) {
      const answers = new Answers(from, to);
      for await (const events of this.#events())
        for await (const _ of answers.restedOnBy(events)) this.#options.signal?.throwIfAborted();
      for (const part of answers.parts()) await this.#compareStream(part, added);
    }
    if (added.size === 0) return;
    const there = new Set<string>();
    for await (const { stream } of streamsIn(to)) if (added.has(scopeOf(stream))) there.add(scopeOf(stream));
    const found = Array.from(added, ([of, events]) => ({ of, events })).filter(({ of }) => there.has(of));
    if (found.length > 0) throw runsExtended(from.url, to.url, found, remedy);
  }

  /** The streams to be copied, as they were when the copy started, and those of the answers found so far. */
  async *#parts(answers: Answers | null): AsyncGenerator<StreamPart> {
    const { run } = this.#options;
    const ends = run === null ? streamsIn(this.#from) : streamsOfRun(this.#from, run);
    yield* partsUpTo(this.#from, ends, this.#end.cursor);
    if (answers !== null) yield* answers.parts();
  }

  /** Their events, without answers, in the order of the original. */
  async *#events(): AsyncGenerator<readonly StoredEvent[]> {
    const { run } = this.#options;
    const streams: string[] = [];
    if (run !== null) for await (const { stream } of streamsOfRun(this.#from, run)) streams.push(stream);
    yield* batches(this.#from.readAll({ until: this.#end.cursor, streams: run === null ? undefined : streams }));
  }

  #progress(doing: CopyStep['doing'], of: number | null): Progress {
    const { signal, onProgress } = this.#options;
    return async (done) => {
      await onProgress?.({ doing, done, of });
      // A loop that never waits would block everything else, including the signal to stop.
      await turn();
      signal?.throwIfAborted();
    };
  }
}

const remedy =
  'Nothing was written. If a copy was interrupted, or you trust the source of the original, add them with --extend.';

/** Only then can one be the beginning of the other, event by event. */
function haveOneOrder(from: Ledger, to: Ledger): boolean {
  return from.id === to.id && from.capabilities.totalOrder && to.capabilities.totalOrder;
}

/** The copy of one run may erase only its own texts, since other runs cite recorded answers as well. */
export function scopesOf(run: string | null): Erasing['scopes'] {
  return run === null ? null : new Set([scopeOf(streamOf.run(run))]);
}

async function* streamsIn(ledger: Ledger, prefix?: string): AsyncGenerator<StreamEnd> {
  for await (const ends of ledger.streams(prefix)) yield* ends;
}

/** Null: the run is not a fork. */
async function parentOf(run: string, from: Ledger, to: Ledger): Promise<Parent | null> {
  for await (const [started] of from.readAll({ streams: [streamOf.run(run)], types: ['RunStarted'], limit: 1 })) {
    const reading = started?.reading;
    const parent = reading?.known && reading.type === 'RunStarted' ? (reading.data.parent ?? null) : null;
    if (parent === null) return null;
    const found = await eventAt(to, { stream: streamOf.run(parent.run), revision: parent.revision });
    return { run: parent.run, stage: parent.stage, isThere: found?.digest === parent.digest };
  }
  return null;
}
