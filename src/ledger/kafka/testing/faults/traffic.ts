// A ledger in full use while something fails: writers that append one batch after the other, one who reads everything again
// and again, one who follows, tables that are filled. Each holds what it is told against what was acknowledged before.
import { EventEmitter, once } from 'node:events';
import { streamOf } from '../../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger.ts';
import type { StoredEvent } from '../../../stored.ts';
import type { FaultBench } from './bench.ts';
import { eventsIn } from './look.ts';

/** Evidence in several partitions, and one stream with a chain. */
export const streams: readonly string[] = [
  ...[0, 1, 2, 3].map((shard) => streamOf.evidence('traffic', 1, shard, 0)),
  streamOf.notes('traffic'),
];
const batch = 7;

export class Traffic {
  /** How many events of each stream were acknowledged. */
  readonly acknowledged = new Map<string, number>(streams.map((stream) => [stream, 0]));
  /** The folder of the tables that are filled meanwhile. */
  readonly tables: string;
  readonly #faults: string[] = [];
  readonly #happened = new EventEmitter().setMaxListeners(0);
  readonly #followed: Seen;
  readonly #writing: Promise<unknown>;
  readonly #others: Promise<unknown>;
  readonly #ending = new AbortController();
  #isOver = false;

  private constructor(bench: FaultBench, writer: Ledger, reader: Ledger) {
    this.tables = bench.folder();
    this.#followed = new Seen('subscribe', this.#faults);
    this.#writing = Promise.all(streams.map((stream) => this.#write(writer, stream)));
    const reading = this.#untilOver(() => this.#readAll(reader));
    const projecting = this.#untilOver(() => bench.countInTables(reader, this.tables));
    this.#others = Promise.all([reading, projecting, this.#follow(reader)]);
    // What fails is told when all is over; whoever waits for progress hears of it now.
    for (const one of [this.#writing, this.#others]) one.catch(() => this.#progress());
  }

  /** `by`: the way by which it is written and read. */
  static async start(bench: FaultBench, by: string): Promise<Traffic> {
    return new Traffic(bench, await bench.open(by), await bench.openElsewhere(by));
  }

  get total(): number {
    return [...this.acknowledged.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when so many more events were acknowledged. */
  async advances(events: number): Promise<void> {
    const wanted = this.total + events;
    await this.#until(() => this.total >= wanted);
  }

  /** Waits for something that happens to it. */
  async during(happening: Promise<void>): Promise<void> {
    await Promise.race([happening, this.#failure()]);
  }

  /** Ends when readers have come to what writers have come to. Returns what was wrong on the way. */
  async end(): Promise<readonly string[]> {
    this.#isOver = true;
    await this.#writing;
    await this.#until(() => this.#followed.hasAll(this.acknowledged));
    this.#ending.abort();
    await this.#others;
    return this.#faults;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await Promise.race([once(this.#happened, 'progress'), this.#failure()]);
  }

  /** Before the end, only a failure settles it. */
  #failure(): Promise<unknown> {
    return Promise.all([this.#writing, this.#others]);
  }

  #progress(): void {
    this.#happened.emit('progress');
  }

  async #write(ledger: Ledger, stream: string): Promise<void> {
    for (let next = 0; !this.#isOver; next += batch) {
      const { revision } = await ledger.append(stream, eventsIn(stream, next, batch), { expect: 'any' });
      if (revision !== next + batch - 1) this.#faults.push(`${stream}: ${next} to be appended, told ${revision}`);
      this.acknowledged.set(stream, next + batch);
      this.#progress();
    }
  }

  async #untilOver(work: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) await work();
  }

  async #readAll(ledger: Ledger): Promise<void> {
    const least = new Map(this.acknowledged);
    const seen = new Seen('readAll', this.#faults);
    for await (const events of ledger.readAll()) seen.take(events);
    if (!seen.hasAll(least)) this.#faults.push('readAll: not all that was acknowledged before');
  }

  async #follow(ledger: Ledger): Promise<void> {
    for await (const delivery of ledger.subscribe({ signal: this.#ending.signal })) {
      if (delivery.kind === 'events') this.#followed.take(delivery.events);
      this.#progress();
    }
  }
}

/** Events of all streams as one reader is given them. */
class Seen {
  readonly #who: string;
  readonly #faults: string[];
  readonly #next = new Map<string, number>();

  constructor(who: string, faults: string[]) {
    this.#who = who;
    this.#faults = faults;
  }

  take(events: readonly StoredEvent[]): void {
    for (const { stream, revision } of events) {
      const next = this.#next.get(stream) ?? 0;
      if (revision !== next) this.#faults.push(`${this.#who}: ${stream}@${revision} in the place of ${next}`);
      this.#next.set(stream, revision + 1);
    }
  }

  hasAll(acknowledged: ReadonlyMap<string, number>): boolean {
    return [...acknowledged].every(([stream, count]) => (this.#next.get(stream) ?? 0) >= count);
  }
}
