// Copies a ledger, or one run of it, to another place: event by event in the order of the original, in the same bytes, each
// blob before the event that names it. What is there already is not copied again, so that a copy can be interrupted,
// taken up, and brought up to date later. At the end both are held against each other.
import type { Blobs } from '../blobs/blobs.ts';
import type { Cursor } from '../cursor.ts';
import { Diverged } from '../errors.ts';
import type { Ledger, ReadAllOptions } from '../ledger.ts';
import { streamsOfRun } from '../runs.ts';
import type { StoredEvent } from '../stored.ts';
import { gatherVouchers } from '../verify/vouchers.ts';
import { answersIn } from './answers.ts';
import { batches } from './batches.ts';
import { BlobCopy } from './blob-copy.ts';
import { Ends } from './ends.ts';
import { type Proof, proveReplica, proveStreams } from './proof.ts';

export interface CopyPlaces {
  readonly from: Ledger;
  readonly to: Ledger;
  /** Null where the original has no blob store. */
  readonly fromBlobs: Blobs | null;
  readonly toBlobs: Blobs;
}

export interface CopyOptions {
  /** The identity of the run to copy; null: everything. */
  readonly run: string | null;
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: CopyStep) => Promise<void>;
}

export interface CopyStep {
  readonly doing: 'copying' | 'proving';
  readonly done: number;
  readonly of: number | null;
}

export interface Copied {
  /** Events of the original that are now there. */
  readonly events: number;
  readonly copied: number;
  readonly blobs: number;
  /** Blobs that events name, that are missing or damaged in the original, and that nobody erased. */
  readonly lostBlobs: readonly string[];
  readonly proof: Proof;
}

export async function copyLedger(places: CopyPlaces, options: CopyOptions): Promise<Copied> {
  const copy = new Copy(places, options);
  return options.run === null && places.from.id === places.to.id ? copy.replica() : copy.streams(options.run);
}

class Copy {
  readonly #places: CopyPlaces;
  readonly #options: CopyOptions;
  readonly #blobs: BlobCopy;
  #copied = 0;

  constructor(places: CopyPlaces, options: CopyOptions) {
    this.#places = places;
    this.#options = options;
    this.#blobs = new BlobCopy(places.fromBlobs, places.toBlobs);
  }

  /** The whole of a ledger into a copy of it: the copy is the beginning of the original, in the same order. */
  async replica(): Promise<Copied> {
    const { from, to } = this.#places;
    const end = await from.head();
    const there = (await to.head()).events;
    const after = await this.#commonEnd(there, end.events);
    await this.#erasures(null);
    await this.#copy(
      { ...(after === undefined ? {} : { after }), until: end.cursor },
      there,
      end.events,
      async () => {},
    );
    return this.#done(end.events, await proveReplica(from, to, end, this.#proving));
  }

  /** Into a ledger that has, or will have, other events as well: stream by stream, in the order of the original. */
  async streams(run: string | null): Promise<Copied> {
    const { from, to } = this.#places;
    // Listed before the end is looked up: what is listed is then certainly copied.
    const streams = run === null ? null : await this.#streamsOf(run);
    const end = await from.head();
    await this.#erasures(run);
    const ends = new Ends(to);
    const answers = new Map<string, number>();
    const wanted: ReadAllOptions = { until: end.cursor, ...(streams === null ? {} : { streams: [...streams.keys()] }) };
    const of = streams === null ? end.events : eventsIn(streams);
    await this.#copy(
      wanted,
      0,
      of,
      run === null ? async () => {} : (events) => this.#answers(events, answers, ends),
      ends,
    );
    const copied = streams === null ? null : new Map([...streams, ...answers]);
    const proof = await proveStreams(from, to, copied, end.cursor, this.#proving);
    return this.#done(proof.events, proof);
  }

  async #streamsOf(run: string): Promise<Map<string, number>> {
    const streams = new Map<string, number>();
    for await (const { stream, revision } of streamsOfRun(this.#places.from, run)) streams.set(stream, revision + 1);
    return streams;
  }

  async #copy(
    wanted: ReadAllOptions,
    done: number,
    of: number,
    before: (events: readonly StoredEvent[]) => Promise<void>,
    ends?: Ends,
  ): Promise<void> {
    let looked = done;
    for await (const events of batches(this.#places.from.readAll(wanted))) {
      const missing = ends === undefined ? events : await ends.missing(events);
      await before(missing);
      await this.#store(missing);
      looked += events.length;
      await this.#options.onProgress?.({ doing: 'copying', done: looked, of });
      this.#options.signal?.throwIfAborted();
    }
  }

  async #store(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#blobs.bring(events);
    const { existed } = await this.#places.to.replicate(events, this.#options.signal);
    this.#copied += events.length - existed;
  }

  /** The answers that events rest on stand in streams of their own, and were there before them. */
  async #answers(events: readonly StoredEvent[], known: Map<string, number>, ends: Ends): Promise<void> {
    for (const stream of answersIn(events)) {
      if (known.has(stream)) continue;
      for await (const answers of this.#places.from.read(stream)) {
        known.set(stream, (known.get(stream) ?? 0) + answers.length);
        await this.#store(await ends.missing(answers));
      }
    }
  }

  /** What was erased in the original must not live on in the copy, whether or not its erasure was copied before. */
  async #erasures(run: string | null): Promise<void> {
    const { vouchers } = await gatherVouchers(this.#places.from, run);
    await this.#blobs.erase([...vouchers.erased.keys()]);
  }

  /** Where to go on: behind the last event of the copy, which must be the same event in the original. */
  async #commonEnd(there: number, events: number): Promise<Cursor | undefined> {
    if (there === 0) return undefined;
    const { from, to } = this.#places;
    const last = await lastOf(to);
    if (last === undefined) return undefined;
    const [stretch] = there > events ? [] : await from.stretches(there);
    const twin = await eventAt(from, last);
    if (twin === undefined || twin.digest !== last.digest || twin.cursor !== stretch?.until) {
      throw new Diverged(last.stream, last.revision, twin?.digest ?? 'nothing', last.digest);
    }
    return stretch.until;
  }

  #proving = async (done: number, of: number | null): Promise<void> => {
    await this.#options.onProgress?.({ doing: 'proving', done, of });
    this.#options.signal?.throwIfAborted();
  };

  #done(events: number, proof: Proof): Copied {
    const { brought, lost } = this.#blobs;
    return { events, copied: this.#copied, blobs: brought, lostBlobs: lost, proof };
  }
}

async function lastOf(ledger: Ledger): Promise<StoredEvent | undefined> {
  for await (const [event] of ledger.readAll({ backwards: true, limit: 1 })) return event;
  return undefined;
}

async function eventAt(ledger: Ledger, { stream, revision }: StoredEvent): Promise<StoredEvent | undefined> {
  for await (const [event] of ledger.read(stream, { from: revision, to: revision })) return event;
  return undefined;
}

function eventsIn(streams: ReadonlyMap<string, number>): number {
  let events = 0;
  for (const count of streams.values()) events += count;
  return events;
}
