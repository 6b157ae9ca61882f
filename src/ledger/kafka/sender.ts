// Sends the events of attempts: each batch through a producer session without a failed send, and awaited.
import type { Message } from 'kafkajs';
import { messageOf } from '../../base/folders.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { AttemptBroken } from '../errors.ts';
import type { Waits } from '../remote/retry.ts';
import type { KafkaClient } from './client.ts';
import { isFinal, meaningOf } from './errors.ts';
import { rememberedStreams } from './streams.ts';

/** Longer sends are reported. */
const reportAfterMs = 1_000;

export class Sender {
  readonly #client: KafkaClient;
  readonly #topic: string;
  readonly #waits: Waits;
  readonly #patienceSeconds: number;
  /** Streams that accept no more events, with the reason. */
  readonly #broken = new RecentMap<string, string>(rememberedStreams);

  constructor(client: KafkaClient, topic: string, waits: Waits, patienceSeconds: number) {
    this.#client = client;
    this.#topic = topic;
    this.#waits = waits;
    this.#patienceSeconds = patienceSeconds;
  }

  /** Throws AttemptBroken if an earlier send of this stream failed. */
  requireWhole(stream: string): void {
    const why = this.#broken.get(stream);
    if (why !== undefined) throw new AttemptBroken(stream, why, this.#patienceSeconds);
  }

  /**
   * Sends one batch, so all messages or none; returns the offset of the first, which must be after the last one of the stream.
   * kafkajs treats a failed send as not stored, although it may be: it could then take its next send for a repetition, which would
   * be lost. So a failure ends the session and the attempt.
   */
  async send(stream: string, messages: Message[], after: number): Promise<number> {
    const producer = await this.#client.takeProducer(this.#topic);
    try {
      const from = await this.#reported(this.#client.send(producer, this.#topic, messages));
      if (!(from > after)) throw new Error(`the broker treated the records as duplicates and stored none (${from})`);
      this.#client.giveBack(producer);
      return from;
    } catch (error) {
      this.#client.drop(producer);
      throw this.#brokenBy(stream, error);
    }
  }

  /** kafkajs retries unacknowledged sends silently, so long ones are reported. */
  async #reported<Result>(sending: Promise<Result>): Promise<Result> {
    let isLong = false;
    let isBack = false;
    const timer = setTimeout(() => {
      isLong = true;
      this.#waits.begin('records were sent, but are not acknowledged');
    }, reportAfterMs);
    try {
      const result = await sending;
      isBack = true;
      return result;
    } finally {
      clearTimeout(timer);
      if (isLong) this.#waits.end(isBack);
    }
  }

  #brokenBy(stream: string, cause: unknown): unknown {
    const meaning = meaningOf(cause, this.#topic);
    const why = messageOf(meaning);
    this.#broken.set(stream, why);
    return isFinal(meaning) ? meaning : new AttemptBroken(stream, why, this.#patienceSeconds, cause);
  }
}
