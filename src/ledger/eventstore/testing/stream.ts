// One stream in memory: its events, and which of them its metadata still show.
import type { Recorded } from './recorded.ts';
import { isSoftDeleted, type StreamMetadata } from './stream-metadata.ts';

export class Stream {
  readonly name: string;
  metadata: StreamMetadata;
  isTombstoned = false;
  /** What a scavenge left, without gaps. */
  #events: Recorded[] = [];
  #last = -1;

  constructor(name: string, metadata: StreamMetadata) {
    this.name = name;
    this.metadata = metadata;
  }

  /** The last revision; -1 for a stream without events. */
  get last(): number {
    return this.#last;
  }

  get isSoftDeleted(): boolean {
    return isSoftDeleted(this.metadata);
  }

  add(event: Recorded): void {
    if (event.revision === Number.POSITIVE_INFINITY) {
      this.isTombstoned = true;
      return;
    }
    this.#events.push(event);
    this.#last = event.revision;
  }

  /** Whether it is shown or not, as long as no scavenge took it. */
  stored(revision: number): Recorded | null {
    const first = this.#events[0]?.revision ?? 0;
    return this.#events[revision - first] ?? null;
  }

  /** Null where it is truncated, too old, or not there. */
  shown(revision: number, now: number): Recorded | null {
    return revision < this.#firstShown() || this.isSoftDeleted ? null : this.#young(this.stored(revision), now);
  }

  /** What is shown from a revision on, in pages, as it stands when a page is asked for. */
  *forwards(from: number, count: number, now: number): Generator<Recorded> {
    let left = count;
    for (let revision = Math.max(from, this.#firstShown()); revision <= this.#last && left > 0; revision++) {
      const event = this.#young(this.stored(revision), now);
      if (event === null) continue;
      left--;
      yield event;
    }
  }

  *backwards(from: number, count: number, now: number): Generator<Recorded> {
    let left = count;
    const first = this.#firstShown();
    for (let revision = Math.min(from, this.#last); revision >= first && left > 0; revision--) {
      const event = this.#young(this.stored(revision), now);
      if (event === null) return;
      left--;
      yield event;
    }
  }

  /** Takes what is no longer shown, for good, but never the last event, which keeps the count; returns what it took. */
  scavenge(now: number): readonly Recorded[] {
    const kept = this.#events.findIndex(
      (event) => event.revision === this.#last || (!this.isTombstoned && this.shown(event.revision, now) !== null),
    );
    if (this.isTombstoned) return this.#events.splice(0);
    return kept < 0 ? [] : this.#events.splice(0, kept);
  }

  #firstShown(): number {
    const { maxCount, truncateBefore } = this.metadata;
    const byCount = maxCount === null ? 0 : this.#last - maxCount + 1;
    return Math.max(0, byCount, truncateBefore ?? 0);
  }

  #young(event: Recorded | null, now: number): Recorded | null {
    const { maxAgeMs } = this.metadata;
    return event !== null && maxAgeMs !== null && event.created < now - maxAgeMs ? null : event;
  }
}
