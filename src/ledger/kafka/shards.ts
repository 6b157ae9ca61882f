// A ledger in Kafka as shards: each partition of the evidence is one, and all other lanes, which are little, are one together.
// A consumer group decides who has which; how far each was read is nobody's business but the reader's.
import type { Cursor } from '../event.ts';
import type { ReadAllOptions } from '../ledger.ts';
import { decisionsShard, type Shards } from '../shards.ts';
import type { StoredEvent } from '../stored.ts';
import type { Cursors } from './cursors.ts';
import type { Feeds } from './feeds.ts';
import type { Lane } from './lanes.ts';
import type { Log } from './log.ts';
import type { Transport } from './transport/transport.ts';

interface Parts {
  readonly transport: Transport;
  readonly log: Log;
  readonly cursors: Cursors;
  readonly feeds: Feeds;
}

export class KafkaShards implements Shards {
  readonly names: readonly string[];
  readonly #parts: Parts;
  readonly #prefix: string;
  readonly #ended: AbortSignal;
  readonly #lanes: ReadonlyMap<string, readonly Lane[]>;

  constructor(parts: Parts, prefix: string, ended: AbortSignal) {
    this.#parts = parts;
    this.#prefix = prefix;
    this.#ended = ended;
    this.#lanes = Map.groupBy(parts.log.lanes.all, shardOf);
    this.names = [...this.#lanes.keys()];
  }

  async *share(group: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const over = AbortSignal.any([this.#ended, signal]);
    if (over.aborted) return;
    // Several ledgers may be in one cluster, and have groups of the same name.
    const topics = [...new Set(this.#standing().map(({ topic }) => topic))];
    const membership = await this.#parts.transport.join(`${this.#prefix}.${group}`, topics);
    const leave = (): void => void membership.leave();
    over.addEventListener('abort', leave);
    try {
      if (over.aborted) return;
      for await (const assigned of membership.assignments()) {
        if (over.aborted) return;
        const isOwn = ({ topic, partition }: Lane): boolean =>
          assigned.some((one) => one.topic === topic && one.partition === partition);
        yield this.#standing().filter(isOwn).map(shardOf);
      }
    } finally {
      over.removeEventListener('abort', leave);
      await membership.leave();
    }
  }

  readAll(
    shard: string,
    options: Pick<ReadAllOptions, 'after' | 'until' | 'types' | 'limit'> = {},
  ): AsyncGenerator<readonly StoredEvent[]> {
    return this.#parts.feeds.ofAll(options, this.#ended, this.#lanesOf(shard));
  }

  async behind(shard: string, cursor: Cursor | null): Promise<number> {
    const { log, cursors } = this.#parts;
    const lanes = this.#lanesOf(shard);
    const ends = await log.ends(lanes);
    const { offsets } = cursors.offsetsWithin(cursor ?? undefined, ends);
    return lanes.reduce((sum, { number }) => {
      const [from, end] = [offsets[number] ?? 0, ends[number] ?? 0];
      const known = Math.min(end, Math.max(from, log.index.lane(number).next));
      return sum + log.index.countIn(number, from, known) + end - known;
    }, 0);
  }

  /** One lane for each shard: whoever has its partition has the shard. */
  #standing(): readonly Lane[] {
    return [...this.#lanes.values()].flatMap(([lane]) => (lane === undefined ? [] : [lane]));
  }

  #lanesOf(shard: string): readonly Lane[] {
    return this.#lanes.get(shard) ?? [];
  }
}

function shardOf({ category, partition }: Lane): string {
  return category === 'evidence' ? `evidence-${partition}` : decisionsShard;
}
