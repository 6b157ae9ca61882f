// Copies of what cannot be read as an event, with the reason, in a topic of their own: whoever sent it finds it there and need
// not look through all of the log. The original stays where it is.
import { isUtf8 } from 'node:buffer';
import { IcecoreError } from '../../../schemas/errors.ts';
import { Turns } from '../sqlite/turns.ts';
import type { Lane } from './lanes.ts';
import type { FoundRecord, OutgoingRecord, Transport } from './transport/transport.ts';

/** A record that is no event, or holds none, and why. */
export interface Rejected {
  readonly record: FoundRecord;
  readonly why: string;
}

const own = {
  reason: 'icecore_reason',
  topic: 'icecore_topic',
  partition: 'icecore_partition',
  offset: 'icecore_offset',
  encoding: 'icecore_encoding',
} as const;

const pageBytes = 2 ** 20;
const leaderWaitMs = 100;

export class Rejecting {
  readonly #transport: Transport;
  readonly #topic: string;
  /** Where the copies that are there come from. */
  readonly #origins = new Set<string>();
  readonly #turns = new Turns();
  #read = 0;

  constructor(transport: Transport, topic: string) {
    this.#transport = transport;
    this.#topic = topic;
  }

  /** Copies what no other reader has copied. Whoever may not do that reads on all the same: an audit tells of the originals. */
  async copy(lane: Lane, rejected: readonly Rejected[]): Promise<void> {
    if (rejected.length === 0) return;
    try {
      await this.#turns.take(() => this.#copy(lane, rejected), undefined);
    } catch (error) {
      if (!(error instanceof IcecoreError)) throw error;
    }
  }

  async #copy(lane: Lane, rejected: readonly Rejected[]): Promise<void> {
    await this.#catchUp();
    const missing = rejected.filter(
      ({ record }) => !this.#origins.has(originOf(lane.topic, lane.partition, record.offset)),
    );
    if (missing.length > 0)
      await this.#transport.produce(
        this.#topic,
        0,
        missing.map((one) => copyOf(lane, one)),
      );
  }

  async #catchUp(): Promise<void> {
    const [ends] = await this.#transport.ends(this.#topic);
    this.#read = Math.max(this.#read, ends?.start ?? 0);
    while (this.#read < (ends?.end ?? 0)) {
      const options = { maxBytes: pageBytes, maxWaitMs: leaderWaitMs };
      const { records, next } = await this.#transport.fetch(this.#topic, 0, this.#read, options);
      for (const { headers } of records) {
        const [topic = '', partition = '', offset = ''] = [own.topic, own.partition, own.offset].map((name) =>
          headers.ascii(name),
        );
        this.#origins.add(originOf(topic, Number(partition), Number(offset)));
      }
      this.#read = next;
    }
  }
}

function originOf(topic: string, partition: number, offset: number): string {
  return `${topic}/${partition}@${offset}`;
}

function copyOf({ topic, partition }: Lane, { record, why }: Rejected): OutgoingRecord {
  const { key, value, offset, timestamp } = record;
  const headers = Object.fromEntries([...record.headers].map(([name, text]) => [name, text.toString('utf8')]));
  const origin = { [own.topic]: topic, [own.partition]: String(partition), [own.offset]: String(offset) };
  const isText = value === null || isUtf8(value);
  return {
    key: key?.toString('utf8') ?? '',
    value: value?.toString(isText ? 'utf8' : 'base64') ?? '',
    headers: { ...headers, ...origin, [own.reason]: why, ...(isText ? {} : { [own.encoding]: 'base64' }) },
    timestamp,
  };
}
