// The recorded model answers that the events of a run cite. They have streams of their own, named by the digest of the
// question; a run without them could not be replayed.
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../ledger.ts';
import { ownText } from '../named-blobs.ts';
import type { StoredEvent } from '../stored.ts';
import { requireSame, type StreamPart } from './compare.ts';

const reference = /"(?:(?:key|modelAnswer)":"|stream":"answer-)([0-9a-f]{64})"/g;
const cause = /\{"event":"([0-9a-f-]{36})"\}/g;
const mostCauses = 10_000;

export class Answers {
  readonly #from: Ledger;
  readonly #to: Ledger | null;
  /** The number of copied events by digest; 0 for the digest of something else. */
  readonly #found = new Map<string, number>();
  readonly #causes = new Set<string>();

  /** `to` is null if there is no copy yet that could have other answers. */
  constructor(from: Ledger, to: Ledger | null) {
    this.#from = from;
    this.#to = to;
  }

  /** The answers that these events cite, without those of earlier calls. Throws Diverged if the copy has others. */
  async *restedOnBy(events: readonly StoredEvent[]): AsyncGenerator<readonly StoredEvent[]> {
    for (const event of events) {
      for (const [, digest = ''] of event.body.matchAll(reference)) yield* this.#answer(digest);
      for (const id of causesOf(event)) yield* this.#ofCause(id);
    }
  }

  /** The streams of all answers returned so far. */
  *parts(): Generator<StreamPart> {
    for (const [digest, count] of this.#found) if (count > 0) yield { stream: streamOf.answer(digest), count };
  }

  async *#answer(digest: string): AsyncGenerator<readonly StoredEvent[]> {
    if (this.#found.has(digest)) return;
    const stream = streamOf.answer(digest);
    if (this.#to !== null) await requireSame(this.#from, this.#to, { stream });
    let count = 0;
    for await (const events of this.#from.read(stream)) {
      yield events;
      count += events.length;
    }
    this.#found.set(ownText(digest), count);
  }

  /** Many events share a cause, and few causes are answers. */
  async *#ofCause(id: string): AsyncGenerator<readonly StoredEvent[]> {
    if (this.#causes.has(id)) return;
    if (this.#causes.size >= mostCauses) this.#causes.clear();
    this.#causes.add(ownText(id));
    const prefix = streamOf.answer('');
    for (const { stream } of await this.#from.find(id)) {
      if (stream.startsWith(prefix)) yield* this.#answer(stream.slice(prefix.length));
    }
  }
}

/** Members are sorted by name: `actor`, `at`, `causes`, `data`. */
function causesOf({ body }: StoredEvent): readonly string[] {
  const from = body.indexOf('"causes":[');
  if (from < 0 || body.startsWith('"causes":[]', from)) return [];
  const causes = body.slice(from, body.indexOf('"data":', from));
  return Array.from(causes.matchAll(cause), ([, id = '']) => id);
}

const batchEvents = 1000;
const batchCharacters = 4_000_000;

/** Batches of the size of a transaction. */
export async function* batches(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = [];
  let characters = 0;
  for await (const page of pages) {
    for (const event of page) {
      batch.push(event);
      characters += event.body.length;
      if (batch.length < batchEvents && characters < batchCharacters) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
