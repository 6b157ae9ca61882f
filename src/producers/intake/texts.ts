// Takes texts out of events, to be kept as blobs, which can be erased later and have no size limit. The event then
// names the blob by a digest, which is the same for equal texts.

import { checkEvent } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { replaceTexts } from '../../../schemas/texts.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StoredNames } from '../../ledger/named-blobs.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { type KnownRedactions, Redactions, redactedBlobs } from '../../ledger/redactions.ts';
import { typesOf } from '../../ledger/stored.ts';
import type { Piece } from './pieces.ts';

export interface Incoming {
  readonly stream: string;
  readonly event: NewEvent;
}

/** The maximum length of an inline text, in bytes of UTF-8. */
export const longestInline = { byDefault: 32 * 1024, nothing: -1, everything: Number.POSITIVE_INFINITY } as const;

/** A text to be kept as a blob. */
export interface OwnText {
  readonly digest: string;
  readonly text: string;
}

/** An event to append, with the texts of its own blobs. */
export interface Outgoing {
  readonly event: NewEvent;
  readonly texts: readonly OwnText[];
}

const none: readonly OwnText[] = Object.freeze([]);

/** The event of a piece, without long texts. */
export function takeOutTexts({ stream, event }: Incoming, piece: Piece, longest: number): Outgoing {
  const out = mayHoldText(piece, longest) ? withoutLongTexts(event, longest) : { event, texts: none };
  // An invalid event stays as written: a blob would hide the issue.
  return out.texts.length === 0 || checkEvent(stream, event).length > 0 ? { event, texts: none } : out;
}

/** A text takes at least its own size in JSON, so most pieces need not be traversed. */
function mayHoldText({ size, bytes }: Piece, longest: number): boolean {
  return size > longest && mentions(bytes, 'text');
}

/** The event without texts longer than this number of bytes. */
export function withoutLongTexts(event: NewEvent, longest: number): Outgoing {
  const texts: OwnText[] = [];
  const data = replaceTexts(event.type, event.version, event.data, ({ text }) => {
    const bytes = Buffer.byteLength(text);
    // A lone surrogate has no UTF-8 encoding: the event will be refused for it.
    if (bytes <= longest || !text.isWellFormed()) return null;
    const digest = sha256(text);
    texts.push({ digest, text });
    return { blob: digest, bytes };
  });
  return { event: { ...event, data }, texts };
}

// Tests on bytes whether an event's JSON may have a key: most have none and need not be traversed.

const keys = { text: Buffer.from('"text"'), blob: Buffer.from('"blob"'), reference: Buffer.from('"reference"') };

/** Any letter may be written as an escape. */
const anyLetter = Buffer.from('\\u');

/** False only if it has no such key. */
export function mentions(json: Buffer, key: keyof typeof keys): boolean {
  return json.includes(keys[key]) || json.includes(anyLetter);
}

// Stores the texts of events as blobs before the events are appended. Texts that the run redacted stay erased, even if
// the same text comes again; and nothing is stored for an event that the ledger will refuse because of its id.

/** Counts of texts so far. */
export interface KeptCounts {
  /** The number of blobs written, not counting existing ones. */
  readonly written: number;
  /** The number of texts not written, because the ledger says that they were erased. */
  readonly erased: number;
}

const atOnce = 64;
const remembered = 100_000;

export class KeptTexts implements KeptCounts {
  readonly #blobs: () => Promise<Blobs>;
  /** Prompts repeat often: a text is stored once per intake. */
  readonly #put = new Set<string>();
  readonly #leftOut = new Set<string>();
  readonly #stored = new StoredNames();
  #redactions: Redactions | null = null;
  #written = 0;

  /** The store is opened for the first text. */
  constructor(blobs: () => Promise<Blobs>) {
    this.#blobs = blobs;
  }

  get written(): number {
    return this.#written;
  }

  get erased(): number {
    return this.#leftOut.size;
  }

  /** Resolves when the texts of these events are durable. Throws the error of an append of invalid events. */
  async keep(ledger: Ledger, stream: string, outgoing: readonly Outgoing[]): Promise<void> {
    if (outgoing.every(({ texts }) => texts.length === 0)) return;
    const events = outgoing.map(({ event }) => event);
    prepareEvents(stream, events, ledger.capabilities.maxEventBytes, typesOf(ledger));
    this.#redactions ??= new Redactions(ledger);
    const texts = await this.#textsFor(ledger, stream, firstOfEachId(outgoing));
    const redacted = await this.#redactions.look();
    const wanted = [...texts.values()].filter(({ digest }) => !this.#isLeftOut(stream, digest, redacted));
    await this.#putAll(wanted.filter(({ digest }) => !this.#put.has(digest)));
    await this.#eraseAgain(ledger, stream, wanted, await this.#redactions.look());
  }

  /** By digest. For an event that is already stored, only the texts that it names there. */
  async #textsFor(
    ledger: Ledger,
    stream: string,
    outgoing: readonly Outgoing[],
  ): Promise<ReadonlyMap<string, OwnText>> {
    const found = new Map<string, OwnText>();
    for (const { event, texts } of outgoing) {
      if (texts.length === 0) continue;
      const named = await this.#stored.of(ledger, stream, event.id);
      for (const text of texts) if (named === null || named.has(text.digest)) found.set(text.digest, text);
      this.#stored.add(stream, event);
    }
    return found;
  }

  async #putAll(texts: readonly OwnText[]): Promise<void> {
    if (texts.length === 0) return;
    const blobs = await this.#blobs();
    const there = await mapConcurrently(texts, atOnce, ({ digest }) => blobs.has(digest));
    await blobs.putAll(texts.map(({ text }) => text));
    this.#written += there.filter((isThere) => !isThere).length;
    if (this.#put.size >= remembered) this.#put.clear();
    for (const { digest } of texts) this.#put.add(digest);
  }

  /**
   * Erases what was redacted concurrently: a redaction is recorded first, so it is found here. Texts that other events
   * name stay.
   */
  async #eraseAgain(ledger: Ledger, stream: string, texts: readonly OwnText[], known: KnownRedactions): Promise<void> {
    const late = texts.filter(({ digest }) => this.#isLeftOut(stream, digest, known));
    if (late.length === 0) return;
    const blobs = await this.#blobs();
    const redactions = late.flatMap(({ digest }) => known.find(stream, digest) ?? []);
    for (const { redaction, neededBy } of await redactedBlobs(ledger, blobs, known, redactions))
      if (neededBy === null) await blobs.erase(redaction.blob);
  }

  #isLeftOut(stream: string, digest: string, known: KnownRedactions): boolean {
    if (known.find(stream, digest) === null) return false;
    this.#leftOut.add(digest);
    return true;
  }
}

/** The first of several events with the same id counts; a different one is refused. */
function firstOfEachId(outgoing: readonly Outgoing[]): readonly Outgoing[] {
  const seen = new Set<string>();
  return outgoing.filter(({ event: { id } }) => seen.size < seen.add(id).size);
}
