// Appends batches to one partition, one at a time and in the order of the calls. A broker knows a batch that comes again by
// who sent it and its number among theirs, so that asking again after a lost answer stores nothing twice. The library's own
// producer numbers batches that are sent at the same time alike: the broker takes all but one of them for repeats.
import { type Connection, crc32c, initProducerIdV4 } from '@platformatic/kafka';
import { type Origin, type PackedBatch, packBatch, sign } from '../batch/encode.ts';
import { BatchTooLarge, KafkaAway, OutcomeUnknown } from '../errors.ts';
import { Stumble } from '../stumble.ts';
import type { Compression, OutgoingRecord } from '../transport.ts';
import type { Cluster } from './cluster.ts';
import { answerTo, type Fault, faultIn, meaningOf } from './faults.ts';
import { sendBatch } from './produce-request.ts';

const lastSequence = 2 ** 31 - 1;
const lastEpoch = 2 ** 15 - 1;
/** So much longer than the broker waits for its replicas its answer is waited for. */
const onTheWayMs = 1_000;

const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** The broker does not have the batches before this one as they were sent. It would know this one if it had it. */
const outOfStep = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
]);

export class Appender {
  readonly #cluster: Cluster;
  readonly #topic: string;
  readonly #partition: number;
  readonly #brokers: readonly string[];
  /** Null where the next batch needs a producer id. */
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
        return await this.#sendOnce(batch);
      } catch (error) {
        if (error instanceof Stumble) maybeStored ||= error.maybeDone;
        throw error;
      }
    };
    const givenUp = (last: Stumble): Error => {
      if (!maybeStored) return new KafkaAway(this.#brokers, last.message, last);
      return new OutcomeUnknown(this.#topic, this.#partition, last.message, last);
    };
    try {
      return await this.#cluster.patiently(attempt, givenUp);
    } catch (error) {
      if (maybeStored) this.#fenceOff();
      throw error;
    }
  }

  async #sendOnce(batch: PackedBatch): Promise<number> {
    const origin = await this.#originFor(batch);
    sign(batch, origin, crc32c);
    const { answerMs } = this.#cluster.connections;
    const send = (connection: Connection): Promise<number> =>
      sendBatch(connection, this.#topic, this.#partition, batch.bytes, answerMs);
    try {
      const offset = await this.#cluster.askLeader(this.#topic, this.#partition, send, answerMs + onTheWayMs);
      this.#origin = { ...origin, sequence: origin.sequence + batch.count };
      return offset;
    } catch (error) {
      const fault = faultIn(error);
      throw fault === null ? error : this.#meaningOf(error, fault, batch);
    }
  }

  #meaningOf(error: unknown, { name, said }: Fault, batch: PackedBatch): unknown {
    const where = `${this.#topic}/${this.#partition}`;
    if (tooLarge.has(name)) return new BatchTooLarge(this.#topic, batch.bytes.length);
    if (name === 'DUPLICATE_SEQUENCE_NUMBER') {
      this.#origin = null;
      return new OutcomeUnknown(this.#topic, this.#partition, said, error);
    }
    if (!outOfStep.has(name)) return meaningOf(error, where, this.#topic);
    this.#origin = null;
    return new Stumble(`${where}: ${name}: ${said}`, { maybeDone: false, cause: error });
  }

  /** What was sent and may still arrive is refused from the next batch on, which has a later epoch. */
  #fenceOff(): void {
    if (this.#origin === null) return;
    const { producerId, epoch } = this.#origin;
    this.#origin = epoch < lastEpoch ? { producerId, epoch: epoch + 1, sequence: 0 } : null;
  }

  async #originFor({ count }: PackedBatch): Promise<Origin> {
    if (this.#origin !== null && this.#origin.sequence + count <= lastSequence) return this.#origin;
    this.#origin = await newOrigin(this.#cluster);
    return this.#origin;
  }
}

async function newOrigin(cluster: Cluster): Promise<Origin> {
  const { answerMs } = cluster.connections;
  const { producerId, producerEpoch } = await answerTo(
    'a producer id',
    cluster.askAny((connection) => initProducerIdV4.api.async(connection, null, answerMs, -1n, -1)),
  );
  return { producerId, epoch: producerEpoch, sequence: 0 };
}
