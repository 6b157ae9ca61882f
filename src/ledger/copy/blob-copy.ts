// Brings the blobs that events name from one blob store to another, each once, save the texts that were redacted. What is
// there already is erased only at the end, and only where that is demanded.
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing, BlobStoreMissing } from '../blobs/errors.ts';
import { openBlobs } from '../blobs/open.ts';
import { withFirst } from '../blobs/packing.ts';
import type { Ledger } from '../ledger.ts';
import { isIntact, isKnown, namedBy, namesAsText } from '../named-blobs.ts';
import { type KnownRedactions, type RedactedBlob, type Redaction, Redactions, redactedBlobs } from '../redactions.ts';
import type { StoredEvent } from '../stored.ts';

/** How many travel at once: each waits for the disk, and folders are synced together. */
const atOnce = 64;
const mostRemembered = 100_000;

/** Where blobs go: a blob store, or one that is made when the first comes. */
export interface BlobSink {
  /** Whether the target has a blob. */
  has(blob: string): Promise<boolean>;
  /** Stores a blob in the target. */
  put(bytes: AsyncIterable<Uint8Array>): Promise<unknown>;
  /** Erases a blob in the target. */
  erase(blob: string): Promise<unknown>;
}

/** The blob store of a copy. It is made when there is a blob to put into it: a ledger whose events name none has none. */
export class BlobTarget implements BlobSink {
  readonly #url: string;
  #blobs: Blobs | null;
  #making: Promise<Blobs> | null = null;

  private constructor(url: string, blobs: Blobs | null) {
    this.#url = url;
    this.#blobs = blobs;
  }

  /** Throws what is wrong with the store that is there, or with its URL. */
  static async at(url: string): Promise<BlobTarget> {
    try {
      return new BlobTarget(url, await openBlobs(url));
    } catch (error) {
      if (error instanceof BlobStoreMissing) return new BlobTarget(url, null);
      throw error;
    }
  }

  /** Whether the blob is there; false as long as the store does not exist. */
  async has(blob: string): Promise<boolean> {
    return this.#blobs !== null && (await this.#blobs.has(blob));
  }

  /** Stores a blob, and creates the store for the first one. */
  async put(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces = bytes[Symbol.asyncIterator]();
    // Where nothing can be read, nothing is made either.
    const first = await pieces.next();
    await (await this.#made()).put(withFirst(first, pieces));
  }

  /** Erases a blob, where the store and the blob exist. */
  async erase(blob: string): Promise<void> {
    await this.#blobs?.erase(blob);
  }

  /** Closes the store, if there is one. */
  async close(): Promise<void> {
    await this.#making?.catch(() => {});
    await this.#blobs?.close();
  }

  async #made(): Promise<Blobs> {
    if (this.#blobs !== null) return this.#blobs;
    this.#making ??= openBlobs(this.#url, { create: true });
    this.#blobs = await this.#making;
    return this.#blobs;
  }
}

export class BlobCopy {
  /** Null where the original has no blob store. */
  readonly #from: Blobs | null;
  readonly #to: BlobSink;
  /** What was redacted in the original. */
  readonly #redactions: Pick<KnownRedactions, 'find'>;
  readonly #signal: AbortSignal | undefined;
  readonly #settled = new Set<string>();
  /** Blobs that could not be brought because they are missing or damaged, each with the stream of an event that names it. */
  readonly lost = new Map<string, string>();
  brought = 0;

  constructor(
    from: Blobs | null,
    to: BlobSink,
    redactions: Pick<KnownRedactions, 'find'>,
    signal: AbortSignal | undefined,
  ) {
    this.#from = from;
    this.#to = to;
    this.#redactions = redactions;
    this.#signal = signal;
  }

  /**
   * Of events that are to be copied: when it resolves, every blob is there and durable, redacted, or known to be lost. What
   * is there may have been put by a copy that was killed before it was durable: to put it again makes it so.
   */
  async bring(events: readonly StoredEvent[]): Promise<void> {
    await this.#each(events, (blob, event) => this.#fetch(blob, event));
  }

  /** Of events that were copied before: what is missing there is brought. */
  async mend(events: readonly StoredEvent[]): Promise<void> {
    await this.#each(events, async (blob, event) => {
      if (!(await this.#to.has(blob))) await this.#fetch(blob, event);
    });
  }

  async #each(
    events: readonly StoredEvent[],
    bring: (blob: string, event: StoredEvent) => Promise<void>,
  ): Promise<void> {
    const needed = new Map<string, StoredEvent>();
    for (const event of events) {
      for (const blob of namedBy(event)) {
        if (!this.#settled.has(blob) && !this.#isRedacted(event, blob)) needed.set(blob, event);
      }
    }
    await mapConcurrently([...needed], atOnce, async ([blob, event]) => {
      this.#signal?.throwIfAborted();
      await bring(blob, event);
      if (this.#settled.size >= mostRemembered) this.#settled.clear();
      this.#settled.add(blob);
    });
  }

  /** Of a text that its run redacted. The same blob may be something else to another event, which needs it. */
  #isRedacted(event: StoredEvent, blob: string): boolean {
    return this.#redactions.find(event.stream, blob) !== null && namesAsText(event, blob);
  }

  async #fetch(blob: string, event: StoredEvent): Promise<void> {
    const from = this.#from;
    // What went wrong in the original is remembered: the copy's store may fail in the same words.
    let fault: unknown;
    async function* read(): AsyncGenerator<Uint8Array> {
      try {
        if (from === null) throw new BlobMissing(blob, 'the original, without a blob store,');
        yield* from.read(blob);
      } catch (error) {
        fault = error;
        throw error;
      }
    }
    try {
      const isThere = await this.#to.has(blob);
      await this.#to.put(read());
      if (!isThere) this.brought++;
    } catch (error) {
      if (error !== fault || !(error instanceof BlobMissing || error instanceof BlobDamaged)) throw error;
      if (isKnown(event) && isIntact(event) && this.lost.size < mostRemembered) this.lost.set(blob, event.stream);
    }
  }
}

/** A text that was redacted, with the event that names it. */
export interface RedactedText {
  readonly blob: string;
  /** The event whose text it is, its stream, and the field. */
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  /** The Redacted event. */
  readonly by: string;
}

/** Texts that the original says were redacted and the copy still has. */
export interface RedactedTexts {
  readonly erased: readonly RedactedText[];
  /** What would be erased on demand. */
  readonly erasable: readonly RedactedText[];
  /** `why` it was not erased, and would not be. */
  readonly left: readonly (RedactedText & { readonly why: string })[];
}

/** Which texts a copy erases in the target, because they were erased in the source. */
export interface Erasing {
  readonly isAsked: boolean;
  /** The runs and answers that this copy may erase texts of, as `scopeOf` names them; null: all. */
  readonly scopes: ReadonlySet<string> | null;
}

/**
 * When everything was copied: erases on demand, and only what nothing else in the copy names. `known`: the redactions of the
 * original. Reads the copy whole where it has such a text.
 */
export async function settleRedacted(
  to: Ledger,
  blobs: BlobSink,
  known: KnownRedactions,
  { isAsked, scopes }: Erasing,
): Promise<RedactedTexts> {
  const copied = [...known.all()];
  if (copied.length === 0) return { erased: [], erasable: [], left: [] };
  const there = await new Redactions(to).look();
  const counting = copied.filter(({ scope, blob }) => there.covers(scope, blob));
  const found = await redactedBlobs(to, blobs, there, counting);
  const left = found.flatMap((one) => {
    const why = whyLeft(one, scopes);
    return why === null ? [] : [{ ...textOf(one.redaction), why }];
  });
  const erasable = found.filter((one) => whyLeft(one, scopes) === null).map(({ redaction }) => textOf(redaction));
  if (!isAsked) return { erased: [], erasable, left };
  await mapConcurrently([...new Set(erasable.map(({ blob }) => blob))], atOnce, (blob) => blobs.erase(blob));
  return { erased: erasable, erasable: [], left };
}

function whyLeft({ redaction, neededBy }: RedactedBlob, scopes: Erasing['scopes']): string | null {
  if (neededBy !== null) return `${neededBy.place} names the same blob`;
  return scopes === null || scopes.has(redaction.scope) ? null : 'it is not a text of the run itself';
}

function textOf({ blob, event, stream, field, by }: Redaction): RedactedText {
  return { blob, event, stream, field, by };
}
