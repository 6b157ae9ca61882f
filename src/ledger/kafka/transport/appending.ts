// Appends batches to one partition, one at a time and in the order of the calls. A broker knows a batch that comes again by
// who sent it and its number among theirs, so that asking again after a lost answer stores nothing twice. The libraries' own
// producers do not keep to that: one numbers batches that are sent at the same time alike, and the broker takes all but one
// of them for repeats; the other can lose a batch, or store one twice, when several are under way.

import { Stumble } from '../../remote/stumble.ts';
import { type Origin, type PackedBatch, packBatch, sign } from './batch/encode.ts';
import type { Cluster } from './cluster.ts';
import { BatchTooLarge, OutcomeUnknown, TimeRefused } from './errors.ts';
import { answerTo, BrokerFault, codes, meaningOf } from './faults.ts';
import type { Compression, OutgoingRecord, TopicPartition } from './transport.ts';

const lastSequence = 2 ** 31 - 1;
const lastEpoch = 2 ** 15 - 1;
/** So much longer than the broker waits for its replicas its answer is waited for. */
const onTheWayMs = 1_000;

const tooLarge = new Set<number>([codes.messageTooLarge, codes.recordListTooLarge]);
/** The broker no longer knows the sender, or not up to here. */
const outOfStep = new Set<number>([
  codes.outOfOrderSequence,
  codes.invalidProducerEpoch,
  codes.invalidProducerId,
  codes.unknownProducerId,
]);

export class Appender<Connection> {
  readonly #cluster: Cluster<Connection>;
  readonly #where: TopicPartition;
  /** Null where the next batch needs another sender's name. */
  #origin: Origin | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(cluster: Cluster<Connection>, where: TopicPartition) {
    this.#cluster = cluster;
    this.#where = where;
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
        const meant = this.#meaningOf(error, batch, maybeStored);
        if (meant instanceof Stumble) maybeStored ||= meant.maybeDone;
        throw meant;
      }
    };
    const givenUp = (last: Stumble): Error =>
      maybeStored ? this.#unknown(last.message, last) : this.#cluster.away(last);
    try {
      return await this.#cluster.patiently(attempt, givenUp);
    } catch (error) {
      if (maybeStored) this.#fenceOff();
      throw error;
    }
  }

  async #sendOnce(batch: PackedBatch): Promise<number> {
    const { client, connections } = this.#cluster;
    const { topic, partition } = this.#where;
    const { answerMs } = connections;
    const origin = await this.#originFor(batch);
    sign(batch, origin, client.checksum);
    const offset = await this.#cluster.askLeader(
      topic,
      partition,
      (connection) => client.requests.append(connection, this.#where, batch.bytes, answerMs),
      answerMs + onTheWayMs,
    );
    this.#origin = { ...origin, sequence: origin.sequence + batch.count };
    return offset;
  }

  #meaningOf(error: unknown, { bytes }: PackedBatch, maybeStored: boolean): unknown {
    if (!(error instanceof BrokerFault)) return error;
    const { topic, partition } = this.#where;
    const { code, message } = error;
    if (tooLarge.has(code)) return new BatchTooLarge(topic, bytes.length);
    if (code === codes.invalidTimestamp) return new TimeRefused(topic, error);
    if (code === codes.duplicateSequence) {
      this.#origin = null;
      return this.#unknown('the broker has it already, and does not say where', error);
    }
    if (!outOfStep.has(code)) return meaningOf(error, `${topic}/${partition}`, topic);
    this.#origin = null;
    if (maybeStored) return this.#unknown(message, error);
    return new Stumble(`${topic}/${partition}: ${message}`, { maybeDone: false, cause: error });
  }

  #unknown(what: string, cause: unknown): OutcomeUnknown {
    return new OutcomeUnknown(this.#where.topic, this.#where.partition, what, cause);
  }

  /** What was sent and may still arrive is refused from the next batch on, which has a later epoch. */
  #fenceOff(): void {
    if (this.#origin === null) return;
    const { producerId, epoch } = this.#origin;
    this.#origin = epoch < lastEpoch ? { producerId, epoch: epoch + 1, sequence: 0 } : null;
  }

  async #originFor({ count }: PackedBatch): Promise<Origin> {
    if (this.#origin !== null && this.#origin.sequence + count <= lastSequence) return this.#origin;
    const { client, connections } = this.#cluster;
    this.#origin = await answerTo(
      'a producer id',
      this.#cluster.askAny((connection) => client.requests.origin(connection, connections.answerMs)),
    );
    return this.#origin;
  }
}
