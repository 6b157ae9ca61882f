// Copies the blobs that events name from one blob store to another, each once, except for redacted texts. Existing blobs are
// erased only at the end, and only on request.
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing, BlobStoreMissing } from '../blobs/errors.ts';
import { openBlobs } from '../blobs/open.ts';
import { withFirst } from '../blobs/packing.ts';
import type { Ledger } from '../ledger.ts';
import { isIntact, isKnown, namedBy, namesAsText } from '../named-blobs.ts';
import { type KnownRedactions, type RedactedBlob, type Redaction, Redactions, redactedBlobs } from '../redactions.ts';
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
    const blobs = await openBlobs(url).catch((error: unknown) => {
      if (error instanceof BlobStoreMissing) return null;
      throw error;
    });
    return new BlobTarget(url, blobs);
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
  readonly #redactions: Pick<KnownRedactions, 'find'>;
  readonly #signal: AbortSignal | undefined;
  readonly #settled = new Set<string>();
  /** Blobs that could not be copied because they are missing or damaged, each with the stream of an event that names it. */
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
   * Copies the blobs of new events: when it resolves, every blob is stored durably, redacted, or known to be lost. An existing
   * blob may come from a copy that was killed before it was durable, so it is put again.
   */
  async bring(events: readonly StoredEvent[]): Promise<void> {
    await this.#each(events, (blob, event) => this.#fetch(blob, event));
  }

  /** For events that were copied before: copies only missing blobs. */
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

  /** Whether its run redacted the text. The same blob may be needed by another event. */
  #isRedacted(event: StoredEvent, blob: string): boolean {
    return this.#redactions.find(event.stream, blob) !== null && namesAsText(event, blob);
  }

  async #fetch(blob: string, event: StoredEvent): Promise<void> {
    const from = this.#from;
    // Errors of the original are marked, since the copy's store may fail with the same message.
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

/** A redacted text with the event that names it. */
export interface RedactedText {
  readonly blob: string;
  /** The event that contained the text, with its stream and field. */
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  /** The Redacted event. */
  readonly by: string;
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
