// Stores what was read from the original: the blobs first, then the events that name them.
import { DamagedEvent, Diverged, DuplicateId, WrongRevision } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import type { BlobCopy } from './blob-copy.ts';
import { IdTaken } from './errors.ts';

export class Storing {
  readonly #from: Ledger;
  readonly #to: Ledger;
  readonly #blobs: BlobCopy;
  readonly #signal: AbortSignal | undefined;
  #copied = 0;

  constructor(from: Ledger, to: Ledger, blobs: BlobCopy, signal: AbortSignal | undefined) {
    this.#from = from;
    this.#to = to;
    this.#blobs = blobs;
    this.#signal = signal;
  }

  get copied(): number {
    return this.#copied;
  }

  /** All of them; or, where one is damaged, all before it. Throws DamagedEvent, Diverged, IdTaken. */
  async store(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#blobs.bring(events);
    try {
      await this.#replicate(events);
    } catch (error) {
      const fault = await this.#faultIn(error);
      if (fault instanceof DamagedEvent) await this.#replicate(before(fault, events));
      throw fault;
    }
  }

  async #replicate(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { existed } = await this.#to.replicate(events, this.#signal);
    this.#copied += events.length - existed;
  }

  /** What the copy refuses may be the fault of the original: an event that follows none, or another than it says. */
  async #faultIn(error: unknown): Promise<unknown> {
    if (error instanceof DuplicateId) return new IdTaken(error, this.#to);
    if (error instanceof WrongRevision && typeof error.expected === 'number') {
      return new DamagedEvent(error.stream, error.expected + 1, 'the event before it is missing');
    }
    if (!(error instanceof Diverged) || (await digestAt(this.#from, error)) !== error.found) return error;
    return new DamagedEvent(error.stream, error.revision + 1, 'it follows another event than the one before it');
  }
}

function before({ stream, revision }: DamagedEvent, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const at = events.findIndex((event) => event.stream === stream && event.revision === revision);
  return events.slice(0, Math.max(at, 0));
}

async function digestAt(ledger: Ledger, { stream, revision }: Diverged): Promise<string | null> {
  for await (const digest of ledger.digests({ stream, from: revision, to: revision })) return digest;
  return null;
}
