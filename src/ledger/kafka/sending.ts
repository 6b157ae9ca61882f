// Sending records to a lane, as few batches as the brokers take: a batch is stored whole or not at all.
import type { Lane } from './lanes.ts';
import type { OutgoingRecord, Transport } from './transport/transport.ts';
import { type Outgoing, recordOf } from './wire.ts';

/** Before compression; together with all headers it stays below what a topic takes also where nothing can be compressed. */
const batchBytes = 4 * 1024 * 1024;
/** What key and headers add to an event, about. */
const aroundBytes = 600;

/** Behind all of it. */
export function endOf(sent: readonly Sent[]): number {
  const last = sent.at(-1);
  return last === undefined ? 0 : last.first + last.count;
}

/** Where the records of one batch came to lie, one behind the other. */
export interface Sent {
  readonly first: number;
  readonly count: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

export class Sending {
  readonly #transport: Transport;
  /** By lane, the stretch up to what was sent last into which nobody else has written. */
  readonly #alone = new Map<number, Stretch>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async send(lane: Lane, outgoing: readonly Outgoing[]): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    for (const records of batchesOf(outgoing)) {
      const first = await this.#transport.produce(lane.topic, lane.partition, records);
      sent.push({ first, count: records.length });
      this.#note(lane, first, records.length);
    }
    return sent;
  }

  /** Whether nobody else has written to a lane between an offset and what was sent there last. */
  isAloneSince(lane: Lane, offset: number): boolean {
    return offset >= (this.#alone.get(lane.number)?.from ?? Number.POSITIVE_INFINITY);
  }

  #note(lane: Lane, first: number, count: number): void {
    const before = this.#alone.get(lane.number);
    const from = before?.to === first ? before.from : first;
    this.#alone.set(lane.number, { from, to: first + count });
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
