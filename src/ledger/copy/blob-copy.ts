// Copies the blobs that events name from one blob store to another, each once, except for redacted texts. Existing blobs are
// erased only at the end, and only on request.
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import { openBlobs, openBlobsIfThere } from '../blobs/open.ts';
import { withFirst } from '../blobs/packing.ts';
import type { Ledger } from '../ledger.ts';
import { isIntact, isKnown, namedBy } from '../named-blobs.ts';
import { type KnownRedactions, type RedactedText, Redactions, redactedBlobs, scopeOf } from '../redactions.ts';
import type { StoredEvent } from '../stored.ts';

/** The number of concurrent transfers: each waits for the disk, and folders are synced together. */
const atOnce = 64;
const mostRemembered = 100_000;

/** A destination for blobs: a blob store, or one that is created for the first blob. */
export interface BlobSink {
  /** Whether the target has a blob. */
  has(blob: string): Promise<boolean>;
  /** Stores a blob in the target. */
  put(bytes: AsyncIterable<Uint8Array>): Promise<unknown>;
  /** Erases a blob in the target. */
  erase(blob: string): Promise<unknown>;
}

/** The blob store of a copy. It is created for the first blob, since a ledger whose events name no blobs has no store. */
export class BlobTarget implements BlobSink {
  readonly #url: string;
  /** Null: there is none yet. */
  #blobs: Promise<Blobs> | null;

  private constructor(url: string, blobs: Blobs | null) {
    this.#url = url;
    this.#blobs = blobs === null ? null : Promise.resolve(blobs);
  }

  /** Throws if the existing store is faulty or its URL is invalid. */
  static async at(url: string): Promise<BlobTarget> {
    return new BlobTarget(url, await openBlobsIfThere(url, {}));
  }

  /** Whether the blob is there; false as long as the store does not exist. */
  async has(blob: string): Promise<boolean> {
    return (await (await this.#blobs)?.has(blob)) === true;
  }

  /** Stores a blob, and creates the store for the first one. */
  async put(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces = bytes[Symbol.asyncIterator]();
    // A store that cannot be read is not created either.
    const first = await pieces.next();
    this.#blobs ??= openBlobs(this.#url, { create: true });
    await (await this.#blobs).put(withFirst(first, pieces));
  }

  /** Erases a blob, if the store and the blob exist. */
  async erase(blob: string): Promise<void> {
    await (await this.#blobs)?.erase(blob);
  }

  /** Closes the store, if there is one. */
  async close(): Promise<void> {
    await (await this.#blobs?.catch(() => null))?.close();
  }
}

export class BlobCopy {
  /** Null: the original has no blob store. */
  readonly #from: Blobs | null;
  readonly #to: BlobSink;
  /** The redactions in the original. */
  readonly #redactions: KnownRedactions;
  readonly #signal: AbortSignal | undefined;
  readonly #settled = new Set<string>();
  /** Blobs that could not be copied because they are missing or damaged, each with the stream of an event that names it. */
  readonly lost = new Map<string, string>();
  brought = 0;

  constructor(from: Blobs | null, to: BlobSink, redactions: KnownRedactions, signal: AbortSignal | undefined) {
    this.#from = from;
    this.#to = to;
    this.#redactions = redactions;
    this.#signal = signal;
  }

  /**
   * Copies the blobs of events: when it resolves, every blob is stored durably, redacted, or known to be lost. If the copy does
   * not have the events yet, an existing blob may come from a copy that was killed before it was durable, so it is put again.
   */
  async bring(events: readonly StoredEvent[], areNew: boolean): Promise<void> {
    const needed = new Map<string, StoredEvent>();
    for (const event of events) {
      for (const { blob, isText } of namedBy(event)) {
        const isRedacted = isText && this.#redactions.find(event.stream, blob) !== null;
        if (!isRedacted && !this.#settled.has(blob)) needed.set(blob, event);
      }
    }
    await mapConcurrently([...needed], atOnce, async ([blob, event]) => {
      this.#signal?.throwIfAborted();
      const isThere = await this.#to.has(blob);
      if (areNew || !isThere) await this.#put(blob, event, isThere);
      if (this.#settled.size >= mostRemembered) this.#settled.clear();
      this.#settled.add(blob);
    });
  }

  async #put(blob: string, event: StoredEvent, isThere: boolean): Promise<void> {
    const from = this.#from;
    // Faults of the original are noted where it is read, since the copy's store may fail with the same error.
    let isLost = false;
    async function* read(): AsyncGenerator<Uint8Array> {
      try {
        if (from === null) throw new BlobMissing(blob, 'the original, without a blob store,');
        yield* from.read(blob);
      } catch (error) {
        isLost = error instanceof BlobMissing || error instanceof BlobDamaged;
        throw error;
      }
    }
    try {
      await this.#to.put(read());
      if (!isThere) this.brought++;
    } catch (error) {
      if (!isLost) throw error;
      if (isKnown(event) && isIntact(event) && this.lost.size < mostRemembered) this.lost.set(blob, event.stream);
    }
  }
}

/** Texts that are redacted in the original but still present in the copy. */
export interface RedactedTexts {
  readonly erased: readonly RedactedText[];
  /** Texts that would be erased on request. */
  readonly erasable: readonly RedactedText[];
  /** `why` the text was not erased, and would not be. */
  readonly left: readonly (RedactedText & { readonly why: string })[];
}

/** Which texts a copy erases in the target because they are erased in the source. */
export interface Erasing {
  readonly isAsked: boolean;
  /** The runs and answers whose texts this copy may erase, as named by `scopeOf`; null: all. */
  readonly scopes: ReadonlySet<string> | null;
}

/**
 * Runs after everything was copied: erases on request, and only blobs that nothing else in the copy names. `known` are the
 * redactions of the original. Reads the whole copy if it has such a text.
 */
export async function settleRedacted(
  to: Ledger,
  blobs: BlobSink,
  known: KnownRedactions,
  { isAsked, scopes }: Erasing,
): Promise<RedactedTexts> {
  if (known.isEmpty) return { erased: [], erasable: [], left: [] };
  const there = await new Redactions(to).look();
  const counting = [...known.all()].filter(({ stream, blob }) => there.find(stream, blob) !== null);
  const erasable: RedactedText[] = [];
  const left: (RedactedText & { readonly why: string })[] = [];
  for (const { redaction, neededBy } of await redactedBlobs(to, blobs, there, counting)) {
    if (neededBy !== null) left.push({ ...redaction, why: `${neededBy.place} names the same blob` });
    else if (scopes === null || scopes.has(scopeOf(redaction.stream))) erasable.push(redaction);
    else left.push({ ...redaction, why: 'it is not a text of the run itself' });
  }
  if (!isAsked) return { erased: [], erasable, left };
  await mapConcurrently([...new Set(erasable.map(({ blob }) => blob))], atOnce, (blob) => blobs.erase(blob));
  return { erased: erasable, erasable: [], left };
}
