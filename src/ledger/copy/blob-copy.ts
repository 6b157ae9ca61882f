// Brings the blobs that events name from one blob store to another, each once, save the texts that were redacted. What is
// there already is never erased here.

import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import type { KnownRedactions } from '../redactions.ts';
import type { StoredEvent } from '../stored.ts';
import { isIntact, isKnown, namedBy, namesAsText } from './named-blobs.ts';

/** So many travel at once: each waits for the disk, and folders are synced mapConcurrently. */
const atOnce = 64;
const remembered = 100_000;

/** Where blobs go: a blob store, or one that is made when the first comes. */
export interface BlobSink {
  has(blob: string): Promise<boolean>;
  put(bytes: AsyncIterable<Uint8Array>): Promise<unknown>;
  erase(blob: string): Promise<unknown>;
}

export interface BlobPlaces {
  /** Null where the original has no blob store. */
  readonly from: Blobs | null;
  readonly to: BlobSink;
  /** What was redacted in the original. */
  readonly redactions: Pick<KnownRedactions, 'find'>;
}

export class BlobCopy {
  readonly #places: BlobPlaces;
  readonly #signal: AbortSignal | undefined;
  readonly #settled = new Set<string>();
  /** By blob, the stream of an event that names it. */
  readonly #lost = new Map<string, string>();
  #brought = 0;

  constructor(places: BlobPlaces, signal: AbortSignal | undefined) {
    this.#places = places;
    this.#signal = signal;
  }

  get brought(): number {
    return this.#brought;
  }

  /** Blobs that could not be brought because they are missing or damaged, each with the stream that names it. */
  get lost(): ReadonlyMap<string, string> {
    return this.#lost;
  }

  /** Of events that are to be copied: when it resolves, every blob is there and durable, redacted, or known to be lost. */
  async bring(events: readonly StoredEvent[]): Promise<void> {
    await this.#each(events, async (blob, event) => {
      // What is there may have been put by a copy that was killed before it was durable: to put it again makes it so.
      await this.#fetch(blob, event);
    });
  }

  /** Of events that were copied before: what is missing there is brought. */
  async mend(events: readonly StoredEvent[]): Promise<void> {
    await this.#each(events, async (blob, event) => {
      if (!(await this.#places.to.has(blob))) await this.#fetch(blob, event);
    });
  }

  async #each(
    events: readonly StoredEvent[],
    bring: (blob: string, event: StoredEvent) => Promise<void>,
  ): Promise<void> {
    const wanted = new Map<string, StoredEvent>();
    for (const event of events) {
      for (const blob of namedBy(event)) {
        if (!this.#settled.has(blob) && !this.#isRedacted(event, blob)) wanted.set(blob, event);
      }
    }
    await mapConcurrently([...wanted], atOnce, async ([blob, event]) => {
      this.#signal?.throwIfAborted();
      await bring(blob, event);
      this.#settle(blob);
    });
  }

  /** Of a text that its run redacted. The same blob may be something else to another event, which needs it. */
  #isRedacted(event: StoredEvent, blob: string): boolean {
    return this.#places.redactions.find(event.stream, blob) !== null && namesAsText(event, blob);
  }

  async #fetch(blob: string, event: StoredEvent): Promise<void> {
    const source = new Source(this.#places.from, blob);
    try {
      const isThere = await this.#places.to.has(blob);
      await this.#places.to.put(source.read());
      if (!isThere) this.#brought++;
    } catch (error) {
      if (error !== source.fault || !(error instanceof BlobMissing || error instanceof BlobDamaged)) throw error;
      if (isKnown(event) && isIntact(event)) this.#lose(blob, event.stream);
    }
  }

  #lose(blob: string, stream: string): void {
    if (this.#lost.size < remembered) this.#lost.set(blob, stream);
  }

  #settle(blob: string): void {
    if (this.#settled.size >= remembered) this.#settled.clear();
    this.#settled.add(blob);
  }
}

/** Reads a blob of the original, and remembers what went wrong there: the copy's store may fail in the same words. */
class Source {
  readonly #from: Blobs | null;
  readonly #blob: string;
  fault: unknown = null;

  constructor(from: Blobs | null, blob: string) {
    this.#from = from;
    this.#blob = blob;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      if (this.#from === null) throw new BlobMissing(this.#blob, 'the original, without a blob store,');
      yield* this.#from.read(this.#blob);
    } catch (error) {
      this.fault = error;
      throw error;
    }
  }
}
