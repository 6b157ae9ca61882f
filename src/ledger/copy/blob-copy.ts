// Brings the blobs that events name from one blob store to another, each once.
import { blobsIn } from '../../../schemas/texts.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import type { StoredEvent } from '../stored.ts';

/** So many travel at once. */
const atOnce = 8;
const remembered = 100_000;

export class BlobCopy {
  readonly #from: Blobs | null;
  readonly #to: Blobs;
  readonly #there = new Set<string>();
  readonly #erased = new Set<string>();
  readonly #lost = new Set<string>();
  #brought = 0;

  constructor(from: Blobs | null, to: Blobs) {
    this.#from = from;
    this.#to = to;
  }

  get brought(): number {
    return this.#brought;
  }

  /** Blobs that could not be brought because they are missing or damaged. */
  get lost(): readonly string[] {
    return [...this.#lost];
  }

  /** Blobs that were destroyed on purpose: they are destroyed here too, and not missed. */
  async erase(blobs: readonly string[]): Promise<void> {
    for (const blob of blobs) {
      this.#erased.add(blob);
      await this.#to.erase(blob);
    }
  }

  /** When it resolves, every blob the events name is there and durable, or known to be lost. */
  async bring(events: readonly StoredEvent[]): Promise<void> {
    const wanted = [...new Set(events.flatMap(namedBy))].filter((blob) => this.#isWanted(blob));
    for (let i = 0; i < wanted.length; i += atOnce) {
      await Promise.all(wanted.slice(i, i + atOnce).map((blob) => this.#bringOne(blob)));
    }
  }

  #isWanted(blob: string): boolean {
    return !this.#there.has(blob) && !this.#erased.has(blob) && !this.#lost.has(blob);
  }

  async #bringOne(blob: string): Promise<void> {
    if (!(await this.#to.has(blob))) {
      if (!(await this.#fetch(blob))) return;
      this.#brought++;
    }
    if (this.#there.size >= remembered) this.#there.clear();
    this.#there.add(blob);
  }

  async #fetch(blob: string): Promise<boolean> {
    try {
      if (this.#from === null) throw new BlobMissing(blob, 'no blob store');
      await this.#to.put(this.#from.read(blob));
      return true;
    } catch (error) {
      if (!(error instanceof BlobMissing || error instanceof BlobDamaged)) throw error;
      this.#lost.add(blob);
      return false;
    }
  }
}

/** Looking at the text is quicker than parsing every event. */
function namedBy(event: StoredEvent): readonly string[] {
  if (!event.body.includes('"blob":"') && !event.body.includes('"reference":"')) return [];
  const { type, version, data } = event.envelope;
  return blobsIn(type, version, data).map(({ blob }) => blob);
}
