// Sending the events of attempts: each batch by a producer session of which no send has failed, and waited for.
import type { Message } from 'kafkajs';
import { AttemptBroken } from '../errors.ts';
import { ServerRefused } from '../remote/errors.ts';
import type { Waits } from '../remote/retry.ts';
import type { KafkaClient } from './client.ts';
import { BatchTooLarge, meaningOf, TimeRefused } from './errors.ts';
import { remember } from './streams.ts';

/** A send that takes longer is reported. */
const reportAfterMs = 1_000;

export class Sending {
  readonly #client: KafkaClient;
  readonly #topic: string;
  readonly #waits: Waits;
  readonly #patienceSeconds: number;
  /** Streams that take no more events, and why. */
  readonly #broken = new Map<string, string>();

  constructor(client: KafkaClient, topic: string, waits: Waits, patienceSeconds: number) {
    this.#client = client;
    this.#topic = topic;
    this.#waits = waits;
    this.#patienceSeconds = patienceSeconds;
  }

  /** Throws AttemptBroken where a send of this stream failed. */
  requireWhole(stream: string): void {
    const why = this.#broken.get(stream);
    if (why !== undefined) throw new AttemptBroken(stream, why, this.#patienceSeconds);
  }

  /**
   * One batch, so all of the messages or none; returns the offset of the first, which must come after the last of the stream.
   * kafkajs takes a send that failed for one that is not stored, and it may be: its next send could be taken for a repetition and
   * be lost. So a failure ends the session and the attempt.
   */
  async send(stream: string, messages: Message[], after: number): Promise<number> {
    const producer = await this.#client.takeProducer(this.#topic);
    try {
      const from = await this.#reported(this.#client.send(producer, this.#topic, messages));
      if (!(from > after)) throw new Error(`the broker took the records for repeated ones and stored none (${from})`);
      this.#client.giveBack(producer);
      return from;
    } catch (error) {
      this.#client.drop(producer);
      throw this.#brokenBy(stream, error);
    }
  }

  /** kafkajs itself repeats what is not acknowledged, and says nothing. */
  async #reported<Result>(sending: Promise<Result>): Promise<Result> {
    let isLong = false;
    let isBack = false;
    const timer = setTimeout(() => {
      isLong = true;
      this.#waits.begin('records are sent, and not acknowledged');
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
    const why = meaning instanceof Error ? meaning.message : String(meaning);
    remember(this.#broken, stream, why);
    // Certainly not stored, and no new attempt would fare better.
    const isFinal =
      meaning instanceof BatchTooLarge || meaning instanceof TimeRefused || meaning instanceof ServerRefused;
    return isFinal ? meaning : new AttemptBroken(stream, why, this.#patienceSeconds, cause);
  }
}
