// The recorded answers of models that the events of a run rest on. They stand in streams of their own, named by the digest
// of what was asked; a run without them could not be replayed.
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { requireSame } from './common.ts';
import { ownText } from './own-text.ts';
import type { StreamPart } from './stream-parts.ts';

const reference = /"(?:(?:key|modelAnswer)":"|stream":"answer-)([0-9a-f]{64})"/g;
const cause = /\{"event":"([0-9a-f-]{36})"\}/g;
const rememberedCauses = 10_000;

export class Answers {
  readonly #from: Ledger;
  readonly #to: Ledger | null;
  /** By digest, how many events were copied; 0 where that is the digest of something else. */
  readonly #found = new Map<string, number>();
  readonly #causes = new Set<string>();

  /** `to`: null where there is no copy yet that could have others. */
  constructor(from: Ledger, to: Ledger | null) {
    this.#from = from;
    this.#to = to;
  }

  /** The answers that these events rest on, those of earlier calls left out. Throws Diverged where the copy has others. */
  async *restedOnBy(events: readonly StoredEvent[]): AsyncGenerator<readonly StoredEvent[]> {
    for (const event of events) {
      for (const [, digest = ''] of event.body.matchAll(reference)) yield* this.#answer(digest);
      for (const id of causesOf(event)) yield* this.#ofCause(id);
    }
  }

  /** The streams of all answers so far, as far as they were handed out. */
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

  /** Many events have the same cause, and few causes are answers. */
  async *#ofCause(id: string): AsyncGenerator<readonly StoredEvent[]> {
    if (this.#causes.has(id)) return;
    if (this.#causes.size >= rememberedCauses) this.#causes.clear();
    this.#causes.add(ownText(id));
    const prefix = streamOf.answer('');
    for (const { stream } of await this.#from.find(id)) {
      if (stream.startsWith(prefix)) yield* this.#answer(stream.slice(prefix.length));
    }
  }
}

/** Members stand in the order of their names: `actor`, `at`, `causes`, `data`. */
function causesOf({ body }: StoredEvent): readonly string[] {
  const from = body.indexOf('"causes":[');
  if (from < 0 || body.startsWith('"causes":[]', from)) return [];
  const causes = body.slice(from, body.indexOf('"data":', from));
  return Array.from(causes.matchAll(cause), ([, id = '']) => id);
}
