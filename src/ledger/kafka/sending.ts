// Sending records to a lane, as few batches as the brokers take: a batch is stored whole or not at all.
import type { Lane } from './lanes.ts';
import type { OutgoingRecord, Transport } from './transport/transport.ts';
import { type Outgoing, recordOf } from './wire.ts';

/** Before compression; together with all headers it stays below what a topic takes also where nothing can be compressed. */
const batchBytes = 4 * 1024 * 1024;
/** What key and headers add to an event, about. */
const aroundBytes = 600;

/** Where the records of one batch came to lie, one behind the other. */
export interface Sent {
  readonly first: number;
  readonly count: number;
}

export class Sending {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async send(lane: Lane, outgoing: readonly Outgoing[]): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    for (const records of batchesOf(outgoing)) {
      const first = await this.#transport.produce(lane.topic, lane.partition, records);
      sent.push({ first, count: records.length });
    }
    return sent;
  }
}

function* batchesOf(outgoing: readonly Outgoing[]): Generator<readonly OutgoingRecord[]> {
  let batch: OutgoingRecord[] = [];
  let bytes = 0;
  for (const one of outgoing) {
    const more = Buffer.byteLength(one.body) + aroundBytes;
    if (batch.length > 0 && bytes + more > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(recordOf(one));
    bytes += more;
  }
  if (batch.length > 0) yield batch;
}
