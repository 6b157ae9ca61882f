// Keeps the texts of events as blobs, before the events are appended. What its run redacted stays erased, also when the same
// text comes again; and nothing is kept for an event that the ledger will refuse because its id says something else.
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StoredNames } from '../../ledger/named-blobs.ts';
import { typesOf } from '../../ledger/own-types.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { type KnownRedactions, Redactions, redactedBlobs } from '../../ledger/redactions.ts';
import type { Kept } from './target.ts';
import type { Outgoing, OwnText } from './texts.ts';

const atOnce = 64;
const remembered = 100_000;

export class KeptTexts implements Kept {
  readonly #blobs: () => Promise<Blobs>;
  /** Prompts come again and again: what this intake has put is not put again. */
  readonly #put = new Set<string>();
  readonly #leftOut = new Set<string>();
  readonly #stored = new StoredNames();
  #redactions: Redactions | null = null;
  #written = 0;

  /** The store is asked for when the first text comes. */
  constructor(blobs: () => Promise<Blobs>) {
    this.#blobs = blobs;
  }

  get written(): number {
    return this.#written;
  }

  get erased(): number {
    return this.#leftOut.size;
  }

  /** When it resolves, the texts of these events are durable. Throws what an append of invalid events throws. */
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

  /** By digest. Of an event that is stored already, only the texts that it names there. */
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
   * What somebody redacted while it was put here: whoever redacts records it first, and so does not miss it. What anything
   * else names stays.
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

/** Of several events with one id the first decides; another that differs is refused. */
function firstOfEachId(outgoing: readonly Outgoing[]): readonly Outgoing[] {
  const seen = new Set<string>();
  return outgoing.filter(({ event: { id } }) => seen.size < seen.add(id).size);
}
