// The compacted topic `<prefix>.sealed`: which events count, for consumers without icecore, and where they are in the events'
// topic. It copies facts of the run events: opening the ledger for writing publishes what is missing in it.
import type { Message } from 'kafkajs';
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import type { CountingAttempt } from '../split/evidence.ts';
import type { KafkaClient } from './client.ts';
import type { Readers } from './reader.ts';

/** Not a valid stream name. */
const publishedKey = 'icecore.published';

export class SealedTopic {
  readonly #client: KafkaClient;
  readonly #readers: Readers;
  readonly #topic: string;

  constructor(client: KafkaClient, readers: Readers, topic: string) {
    this.#client = client;
    this.#readers = readers;
    this.#topic = topic;
  }

  /** The key of an attempt is its stream. The checkpoint goes last, so that it is never ahead of the attempts before it. */
  async publish(attempts: readonly CountingAttempt[], checkpoint: string): Promise<void> {
    const messages = attempts.map((attempt) => messageOf(attempt.stream, attempt));
    await this.#client.publish(this.#topic, [...messages, messageOf(publishedKey, { cursor: checkpoint })]);
  }

  /** The cursor of the run events up to which seals are published; null: none. */
  async publishedUpTo(signal: AbortSignal): Promise<string | null> {
    const [{ low, high } = { low: 0, high: 0 }] = await this.#client.watermarks(this.#topic);
    let last: string | null = null;
    const span = { topic: this.#topic, partition: 0, from: low, until: high };
    for await (const { records } of this.#readers.read([span], signal)) {
      for (const { key, value } of records)
        if (key?.toString('utf8') === publishedKey) last = cursorIn(value?.toString('utf8') ?? '') ?? last;
    }
    return last;
  }
}

function messageOf(key: string, value: object): Message {
  return { key, value: JSON.stringify(value), headers: { 'content-type': 'application/json' }, partition: 0 };
}

/** Null: a record of another program. */
function cursorIn(text: string): string | null {
  const value = jsonOrUndefined(text);
  return isObject(value) && typeof value['cursor'] === 'string' ? value['cursor'] : null;
}
