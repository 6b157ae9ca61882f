// Copies of what cannot be read as an event, with the reason, in a topic of their own: whoever sent it finds it there and need
// not look through all of the log. The original stays where it is. The index says what is to be copied and how far that was
// done; so whoever may write makes up for those who read before and may not, or were stopped in between.
import { isUtf8 } from 'node:buffer';
import { IcecoreError } from '../../../schemas/errors.ts';
import { patiently } from '../sqlite/access.ts';
import { Turns } from '../turns.ts';
import { type Asking, pageBytes } from './asking.ts';
import type { Index, Rejected } from './index/index.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { Fetched, FoundRecord, OutgoingRecord, Transport } from './transport/transport.ts';

const own = {
  reason: 'icecore_reason',
  topic: 'icecore_topic',
  partition: 'icecore_partition',
  offset: 'icecore_offset',
  timestamp: 'icecore_timestamp',
  encoding: 'icecore_encoding',
  omitted: 'icecore_omitted_bytes',
} as const;

/** With what is around it, and as base64, a copy of more than this may be more than a topic takes. */
const copiedBytes = 4 * 1024 * 1024;

interface Parts {
  readonly transport: Transport;
  readonly asking: Asking;
  readonly lanes: Lanes;
  readonly index: Index;
  readonly indexPath: string;
  readonly topic: string;
}

export class Rejecting {
  readonly #parts: Parts;
  /** Where the copies that are there come from. */
  readonly #origins = new Set<string>();
  readonly #turns = new Turns();
  #read = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Copies what nobody has copied yet, of all that the index knows of. Whoever may not do that reads on all the same: what is
   * left is copied by the next who may.
   */
  async copyAll(): Promise<void> {
    const { lanes, index } = this.#parts;
    if (index.lanesToCopy().length === 0) return;
    try {
      await this.#turns.take(async () => {
        for (const lane of index.lanesToCopy()) await this.#copyOf(lanes.at(lane));
      }, undefined);
    } catch (error) {
      if (!(error instanceof IcecoreError)) throw error;
    }
  }

  async #copyOf(lane: Lane): Promise<void> {
    const { index, indexPath } = this.#parts;
    await this.#catchUp();
    for (;;) {
      const some = index.toCopy(lane.number);
      const last = some.at(-1);
      if (last === undefined) return;
      await this.#copy(
        lane,
        some.filter(({ first }) => !this.#origins.has(originOf(lane.topic, lane.partition, first))),
      );
      await patiently(indexPath, () => index.noteCopied(lane.number, last.first + 1));
    }
  }

  /** Those of one page of the lane go together. */
  async #copy(lane: Lane, missing: readonly Rejected[]): Promise<void> {
    const { transport, asking, topic } = this.#parts;
    for (let at = 0; at < missing.length; ) {
      const from = (missing[at] as Rejected).first;
      const page = await asking.fetch(lane, { from, known: () => from + 1 });
      const copies: OutgoingRecord[] = [];
      for (let bytes = 0; bytes < pageBytes; at++) {
        const one = missing[at];
        if (one === undefined || one.first >= page.next) break;
        const copy = copyOf(lane, one, recordAt(page, one.first));
        copies.push(copy);
        bytes += copy.value.length;
      }
      await transport.produce(topic, 0, copies);
    }
  }

  async #catchUp(): Promise<void> {
    const { transport, topic } = this.#parts;
    const [ends] = await transport.ends(topic);
    this.#read = Math.max(this.#read, ends?.start ?? 0);
    while (this.#read < (ends?.end ?? 0)) {
      const { records, next } = await transport.fetch(topic, 0, this.#read, { maxBytes: pageBytes, maxWaitMs: 0 });
      for (const { headers } of records) {
        const [from = '', partition = '', offset = ''] = [own.topic, own.partition, own.offset].map((name) =>
          headers.ascii(name),
        );
        this.#origins.add(originOf(from, Number(partition), Number(offset)));
      }
      this.#read = next;
    }
  }
}

function originOf(topic: string, partition: number, offset: number): string {
  return `${topic}/${partition}@${offset}`;
}

/** Undefined within a batch that nobody here can unpack. */
function recordAt({ records }: Fetched, offset: number): FoundRecord | undefined {
  return records.find((record) => record.offset === offset);
}

/** Made now: a topic may refuse the time of the original. */
function copyOf(lane: Lane, { first, why }: Rejected, record: FoundRecord | undefined): OutgoingRecord {
  const origin = { [own.topic]: lane.topic, [own.partition]: String(lane.partition), [own.offset]: String(first) };
  const headers = { ...origin, [own.reason]: why };
  if (record === undefined) return { key: '', value: '', headers, timestamp: Date.now() };
  const { value, encoding } = textOf(record.value);
  const theirs = Object.fromEntries([...record.headers].map(([name, text]) => [name, text.toString('utf8')]));
  return {
    key: record.key?.toString('utf8') ?? '',
    value,
    headers: { ...theirs, ...headers, ...encoding, [own.timestamp]: String(record.timestamp) },
    timestamp: Date.now(),
  };
}

interface Text {
  readonly value: string;
  readonly encoding: Readonly<Record<string, string>>;
}

function textOf(value: Buffer | null): Text {
  if (value === null) return { value: '', encoding: {} };
  if (value.length > copiedBytes) return { value: '', encoding: { [own.omitted]: String(value.length) } };
  if (isUtf8(value)) return { value: value.toString('utf8'), encoding: {} };
  return { value: value.toString('base64'), encoding: { [own.encoding]: 'base64' } };
}
