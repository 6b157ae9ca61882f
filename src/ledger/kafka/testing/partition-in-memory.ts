// One partition in memory: batches one behind the other, some of them without any record, as the marks of transactions are
// and what was aborted.
import type { Fetched, FoundRecord, UnreadableBatch } from '../transport/transport.ts';

interface Batch {
  readonly next: number;
  readonly bytes: number;
  readonly records: readonly FoundRecord[];
  /** Why nobody can read it, where nobody can. */
  readonly why?: string;
}

const aroundRecord = 100;

export class PartitionInMemory {
  readonly #batches: Batch[] = [];
  #start = 0;
  /** Where what is not decided yet begins; null: all is decided. */
  #undecided: number | null = null;
  #news = Promise.withResolvers<void>();

  get start(): number {
    return this.#start;
  }

  /** As far as transactions are decided. */
  get end(): number {
    return this.#undecided ?? this.written;
  }

  /** Also what is not decided. */
  get written(): number {
    return this.#batches.at(-1)?.next ?? 0;
  }

  /** Returns the offset of the first. */
  add(records: readonly FoundRecord[]): number {
    const first = this.written;
    const placed = records.map((record, index) => ({ ...record, offset: first + index }));
    const bytes = placed.reduce((sum, { value }) => sum + aroundRecord + (value?.length ?? 0), 0);
    this.#push({ next: first + placed.length, bytes, records: placed });
    return first;
  }

  /** So many offsets that hold nothing of anybody's. */
  skip(offsets: number): void {
    this.#push({ next: this.written + offsets, bytes: aroundRecord, records: [] });
  }

  /** So many offsets in a batch that nobody can read. */
  addUnreadable(count: number, why: string): void {
    this.#push({ next: this.written + count, bytes: aroundRecord, records: [], why });
  }

  /** From here on, nobody sees anything until it is decided. */
  leaveUndecided(): void {
    this.#undecided ??= this.written;
  }

  decide(): void {
    this.#undecided = null;
    this.#tell();
  }

  /** What lies before an offset is gone. */
  removeBefore(offset: number): void {
    this.#start = offset;
  }

  /** What lies from an offset on was never stored. */
  loseFrom(offset: number): void {
    while (this.written > offset) this.#batches.pop();
  }

  /** Whole batches from the one on that holds the offset; the first also where it alone is too large. */
  from(offset: number, maxBytes: number): Fetched {
    const { end } = this;
    const records: FoundRecord[] = [];
    const unreadable: UnreadableBatch[] = [];
    let next = offset;
    let left = maxBytes;
    for (const batch of this.#batches.slice(this.#indexOf(offset))) {
      if (batch.next > end || (left < batch.bytes && left !== maxBytes)) break;
      records.push(...batch.records.filter((record) => record.offset >= offset));
      if (batch.why !== undefined) unreadable.push({ first: next, count: batch.next - next, why: batch.why });
      next = batch.next;
      left -= batch.bytes;
    }
    return { records, unreadable, next, end, written: this.written };
  }

  /** Waits for more than there is, but no longer than that. */
  async news(maxWaitMs: number, signal: AbortSignal): Promise<void> {
    if (maxWaitMs === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxWaitMs);
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop);
    try {
      await Promise.race([promise, this.#news.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Of the batch that holds an offset. */
  #indexOf(offset: number): number {
    const found = this.#batches.findIndex(({ next }) => next > offset);
    return found < 0 ? this.#batches.length : found;
  }

  #push(batch: Batch): void {
    this.#batches.push(batch);
    if (this.#undecided === null) this.#tell();
  }

  #tell(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers();
    resolve();
  }
}
