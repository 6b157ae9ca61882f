// Appends batches to one partition, one at a time and in the order of the calls. A broker knows a batch that comes again by
// who sent it and its number among theirs, so that asking again after a lost answer stores nothing twice.

import { type Origin, type PackedBatch, packBatch, sign } from '../batch/encode.ts';
import { BatchTooLarge, KafkaAway, OutcomeUnknown } from '../errors.ts';
import { Stumble } from '../stumble.ts';
import type { Compression, OutgoingRecord } from '../transport.ts';
import type { Cluster } from './cluster.ts';
import { codes, faultOf } from './faults.ts';
import { crc32c, exchange } from './parts.ts';
import { produceExchange } from './produce-exchange.ts';

const lastSequence = 2 ** 31 - 1;
/** The broker no longer knows the sender, or not up to here. */
const forgotten = new Set<number>([
  codes.outOfOrderSequence,
  codes.invalidProducerEpoch,
  codes.invalidProducerId,
  codes.unknownProducerId,
]);

export class Appender {
  readonly #cluster: Cluster;
  readonly #topic: string;
  readonly #partition: number;
  readonly #brokers: readonly string[];
  /** Null where the next batch needs another sender's name. */
  #origin: Origin | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(cluster: Cluster, topic: string, partition: number, brokers: readonly string[]) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.#partition = partition;
    this.#brokers = brokers;
  }

  /** Where one fails, those that wait behind it fail with it: stored without it, they would stand in its place. */
  append(records: readonly OutgoingRecord[], compression: Compression): Promise<number> {
    const packed = packBatch(records, compression);
    const turn = this.#last.then(async () => await this.#send(await packed));
    this.#last = turn;
    packed.catch(() => {});
    // Calls that come when the failure is known begin anew.
    turn.catch(() => {
      if (this.#last === turn) this.#last = Promise.resolve();
    });
    return turn;
  }

  async #send(batch: PackedBatch): Promise<number> {
    let maybeStored = false;
    const attempt = async (): Promise<number> => {
      try {
        return await this.#sendOnce(batch, maybeStored);
      } catch (error) {
        if (error instanceof Stumble) maybeStored ||= error.maybeDone;
        throw error;
      }
    };
    try {
      const givenUp = (last: Stumble): Error =>
        maybeStored ? this.#unknown(last.message, last) : new KafkaAway(this.#brokers, last.message, last);
      return await this.#cluster.patiently(attempt, givenUp);
    } catch (error) {
      // What may still arrive must not be taken for the next batch.
      this.#origin = null;
      throw error;
    }
  }

  async #sendOnce(batch: PackedBatch, maybeStored: boolean): Promise<number> {
    const origin = await this.#originFor(batch);
    sign(batch, origin, crc32c);
    const [topic, partition] = [this.#topic, this.#partition];
    const asked = produceExchange(topic, partition, batch.bytes, this.#cluster.connections.answerMs);
    const { errorCode, baseOffset } = await this.#cluster.askLeader(topic, partition, asked);
    if (errorCode === codes.none) {
      this.#origin = { ...origin, sequence: origin.sequence + batch.count };
      return baseOffset;
    }
    this.#cluster.forget(topic);
    throw this.#fault(errorCode, batch, maybeStored);
  }

  #fault(code: number, batch: PackedBatch, maybeStored: boolean): Error {
    const where = `${this.#topic}/${this.#partition}`;
    if (code === codes.messageTooLarge || code === codes.recordListTooLarge)
      return new BatchTooLarge(this.#topic, batch.bytes.length);
    if (code === codes.duplicateSequence) return this.#unknown('the broker has it already, and does not say where');
    if (!forgotten.has(code)) return faultOf(code, this.#topic, where);
    this.#origin = null;
    const what = `the broker no longer knows the sender (code ${code})`;
    return maybeStored ? this.#unknown(what) : new Stumble(`${where}: ${what}`, { maybeDone: false });
  }

  #unknown(what: string, cause?: unknown): OutcomeUnknown {
    return new OutcomeUnknown(this.#topic, this.#partition, what, cause);
  }

  async #originFor({ count }: PackedBatch): Promise<Origin> {
    if (this.#origin !== null && this.#origin.sequence + count <= lastSequence) return this.#origin;
    this.#origin = await newOrigin(this.#cluster);
    return this.#origin;
  }
}

interface NewOrigin {
  readonly errorCode: number;
  readonly producerId: string;
  readonly producerEpoch: number;
}

async function newOrigin(cluster: Cluster): Promise<Origin> {
  const asked = exchange<NewOrigin>('InitProducerId', 1, { transactionalId: null, transactionTimeout: 60_000 });
  const { errorCode, producerId, producerEpoch } = await cluster.askAny(asked);
  if (errorCode !== codes.none) throw faultOf(errorCode, '', 'a producer id');
  return { producerId: BigInt(producerId), epoch: producerEpoch, sequence: 0 };
}
