// Seeing the whole without reading it: which streams there are, the digests of all events, and the ledger cut into
// ranges.
import type { Cursor } from '../cursor.ts';
import type { DigestsOf, EventRange, StreamEnd } from '../ledger.ts';
import type { Attempts } from './attempts.ts';
import type { Cursors } from './cursors.ts';
import type { Reading } from './reading.ts';

export class Survey {
  readonly #reading: Reading;
  readonly #cursors: Cursors;
  readonly #attempts: Attempts;

  constructor(reading: Reading, cursors: Cursors, attempts: Attempts) {
    this.#reading = reading;
    this.#cursors = cursors;
    this.#attempts = attempts;
  }

  async *streams(prefix: string): AsyncGenerator<readonly StreamEnd[]> {
    for (let after: string | null = null; ; ) {
      const page: readonly StreamEnd[] = await this.#attempts.make(() => this.#reading.streamEnds(prefix, after));
      if (page.length === 0) return;
      yield page;
      after = page.at(-1)?.stream ?? null;
    }
  }

  async *digests(of: DigestsOf): AsyncGenerator<string> {
    const step = await this.#digestsOf(of);
    for (;;) {
      const digests = await this.#attempts.make(step);
      if (digests === '') return;
      yield digests;
    }
  }

  async #digestsOf(of: DigestsOf): Promise<() => string> {
    if ('stream' in of) {
      const { stream, from = 0, to = Number.MAX_SAFE_INTEGER } = of;
      return await this.#attempts.make(() => this.#reading.digestsOfStream(stream, from, to));
    }
    const start = await this.#cursors.startOf(of.after ?? undefined);
    return this.#reading.digestsOfSpan(start, await this.#cursors.endOf(of.until));
  }

  async ranges(events: number, span: { after?: Cursor; until?: Cursor }): Promise<readonly EventRange[]> {
    const start = await this.#cursors.startOf(span.after);
    const end = await this.#cursors.endOf(span.until);
    await this.#attempts.make(() => this.#reading.requirePlausible(end));
    const found: EventRange[] = [];
    for (let from = start; from < end; from += events) {
      const to = Math.min(from + events, end);
      found.push({
        after: from === 0 ? null : this.#cursors.at(from),
        until: this.#cursors.at(to),
        events: to - from,
      });
    }
    return found;
  }
}
