// The compacted topic `<prefix>.sealed`: what counts, for consumers that know nothing of icecore, and where it is in the
// events' topic. It is a copy of what the run events say: whoever opens the ledger to write publishes what is missing in it.
import type { Message } from 'kafkajs';
import { parseJson } from '../../../schemas/json-text.ts';
import type { EvidencePlace } from '../ledger.ts';
import type { KafkaClient } from './client.ts';
import type { Readers } from './reader.ts';

/** A sealed attempt, as a record's value has it; its key is the stream. */
export interface SealedAttempt {
  readonly stream: string;
  /** How many events count: those with revisions from 0 to `count - 1`. */
  readonly count: number;
  /** The Merkle root over their digests (RFC 6962), in hexadecimal. */
  readonly root: string;
  /** Where its events are, neighbours between them; absent where nobody knows it. */
  readonly place?: EvidencePlace;
  /** The event EvidenceSealed that says so. */
  readonly seal: { readonly stream: string; readonly revision: number; readonly id: string };
}

type Fields = Readonly<Record<string, unknown>>;

/** No stream has such a name. */
const publishedKey = 'icecore.published';

export class Sealed {
  readonly #client: KafkaClient;
  readonly #readers: Readers;
  readonly #topic: string;
  readonly #attempts = new Map<string, SealedAttempt>();
  #publishedUpTo: string | null = null;
  #next = 0;
  #reading: Promise<void> | null = null;

  constructor(client: KafkaClient, readers: Readers, topic: string) {
    this.#client = client;
    this.#readers = readers;
    this.#topic = topic;
  }

  /** The checkpoint goes last, so that it never is ahead of what it stands for. */
  async publish(attempts: readonly SealedAttempt[], checkpoint: string): Promise<void> {
    const messages: Message[] = attempts.map((attempt) => messageOf(attempt.stream, attempt));
    messages.push(messageOf(publishedKey, { cursor: checkpoint }));
    await this.#client.publish(this.#topic, messages);
  }

  /** What is published of a stream, as far as it is known or can be read now. */
  async find(stream: string, signal: AbortSignal): Promise<SealedAttempt | null> {
    if (!this.#attempts.has(stream)) await this.#follow(signal);
    return this.#attempts.get(stream) ?? null;
  }

  /** The cursor of the run events up to which seals are published; null: nothing was published. */
  async publishedUpTo(signal: AbortSignal): Promise<string | null> {
    await this.#follow(signal);
    return this.#publishedUpTo;
  }

  /** Those who want to know at the same time read once. */
  #follow(signal: AbortSignal): Promise<void> {
    this.#reading ??= this.#readOn(signal).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const [{ low, high } = { low: 0, high: 0 }] = await this.#client.watermarks(this.#topic);
    const from = Math.max(this.#next, low);
    if (from >= high) return;
    const span = { topic: this.#topic, partition: 0, from, until: high };
    for await (const { records, next } of this.#readers.read([span], signal)) {
      for (const { key, value } of records) this.#take(key?.toString('utf8') ?? '', value?.toString('utf8') ?? '');
      this.#next = next;
    }
  }

  #take(key: string, text: string): void {
    const value = fieldsOf(text);
    if (key === publishedKey && typeof value?.['cursor'] === 'string') this.#publishedUpTo = value['cursor'];
    if (isSealed(value) && value.stream === key) this.#attempts.set(key, value);
  }
}

function messageOf(key: string, value: object): Message {
  return { key, value: JSON.stringify(value), headers: { 'content-type': 'application/json' }, partition: 0 };
}

function fieldsOf(text: string): Fields | null {
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Somebody else's record is passed over. */
function isSealed(value: Fields | null): value is Fields & SealedAttempt {
  if (typeof value?.['stream'] !== 'string' || !Number.isSafeInteger(value['count'])) return false;
  const place = value['place'];
  return place === undefined || (typeof place === 'object' && place !== null && isPlace(place as Fields));
}

function isPlace({ partition, from, to }: Fields): boolean {
  return [partition, from, to].every((offset) => Number.isSafeInteger(offset) && Number(offset) >= 0);
}
