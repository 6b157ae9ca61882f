// Opening the evidence of a ledger in Kafka: alone it is a log, above it the engine that all servers share.

import { LedgerClosed } from '../errors.ts';
import { plainId } from '../event.ts';
import { newRunId } from '../identity/ids.ts';
import type { OpenOptions } from '../ledger.ts';
import { Calls } from '../remote/calls.ts';
import { ServerAway } from '../remote/errors.ts';
import { RemoteLedger, waitsOf } from '../remote/ledger.ts';
import { retry, type Waits } from '../remote/retry.ts';
import type { AttemptStore, AttemptToRead } from '../split/attempt-store.ts';
import { StoredEvent } from '../stored.ts';
import { KafkaClient } from './client.ts';
import { makeEvidence, readIdentity } from './identity.ts';
import { type AttemptPage, KafkaLog } from './log.ts';
import type { KafkaPlace } from './place.ts';
import { Readers } from './reader.ts';
import type { SealedAttempt } from './sealed.ts';
import { topicsOf } from './topics.ts';

export interface KafkaLocation {
  readonly url: string;
  readonly place: KafkaPlace;
}

/** Events of an attempt, in order. */
export interface StoredAttemptPage {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
  /** No more of this attempt follow. */
  readonly isLast: boolean;
}

/** The evidence of a split ledger: what any ledger can do, and what only those can use who know which attempts there are. */
export class KafkaLedger extends RemoteLedger implements AttemptStore {
  readonly #log: KafkaLog;
  readonly #calls: Calls;
  readonly #end = new AbortController();

  constructor(log: KafkaLog, patience: number, waits: Waits, readOnly: boolean) {
    super(log, { patience, waits, readOnly });
    this.#log = log;
    this.#calls = new Calls(log, patience * 1_000, waits);
  }

  /** Where so many events of a stream are: a hint, with which it is not looked for. */
  learnPlace(...stream: Parameters<KafkaLog['learnPlace']>): void {
    this.#log.learnPlace(...stream);
  }

  /**
   * The events of attempts, attempt after attempt, in the order in which they are asked for: the way to read many. Throws
   * EvidenceMissing where an attempt has fewer events than it should.
   */
  async *readAttempts(attempts: readonly AttemptToRead[]): AsyncGenerator<StoredAttemptPage> {
    const { signal } = this.#end;
    signal.throwIfAborted();
    let read = 0;
    let delivered = -1;
    let reading: AsyncIterator<AttemptPage> | null = null;
    const next = async (): Promise<IteratorResult<AttemptPage>> => {
      reading ??= this.#log.readAttempts(attempts.slice(read), signal);
      try {
        return await reading.next();
      } catch (error) {
        reading = null;
        throw error;
      }
    };
    try {
      for (;;) {
        const { done, value } = await this.#calls.make(next, signal);
        if (done === true) return;
        const { stream, isLast } = value;
        // After a break the attempt comes again from its beginning.
        const fresh = value.events.filter(({ revision }) => revision > delivered);
        delivered = isLast ? -1 : (fresh.at(-1)?.revision ?? delivered);
        if (isLast) read++;
        yield { stream, isLast, events: fresh.map((event) => this.#stored(event)) };
      }
    } finally {
      await (reading as AsyncIterator<AttemptPage> | null)?.return?.();
    }
  }

  /** Tells consumers that know nothing of icecore what is sealed, up to a cursor of the run events. May be repeated. */
  publishSealed(attempts: readonly SealedAttempt[], checkpoint: string): Promise<void> {
    return this.#calls.make(() => this.#log.publishSealed(attempts, checkpoint), this.#end.signal);
  }

  /** The cursor of the run events that was published last; null where none was. */
  publishedUpTo(): Promise<string | null> {
    return this.#calls.make(() => this.#log.publishedUpTo(this.#end.signal), this.#end.signal);
  }

  override close(): Promise<void> {
    this.#end.abort(new LedgerClosed(this.url));
    return super.close();
  }

  #stored({
    stream,
    revision,
    type,
    id,
    recordedMs,
    digest,
    body,
    position,
  }: AttemptPage['events'][number]): StoredEvent {
    const cursor = `${this.#log.ledger}@${position}`;
    return new StoredEvent(stream, revision, type, plainId(id), recordedMs, digest, body, cursor, digest);
  }
}

/** For a split ledger: the registry of stores refuses a `kafka:` URL alone. */
export async function openKafka(at: KafkaLocation, options: OpenOptions): Promise<KafkaLedger> {
  const { patience } = at.place;
  const waits = waitsOf(options.onWait, patience);
  const signal = options.signal ?? new AbortController().signal;
  const log = await retry(
    { ms: patience * 1_000, waits, signal },
    () => openLog(at, options, waits),
    (last) => new ServerAway(at.url, last),
  );
  return new KafkaLedger(log, patience, waits, options.readOnly ?? false);
}

export async function openLog({ url, place }: KafkaLocation, options: OpenOptions, waits: Waits): Promise<KafkaLog> {
  options.signal?.throwIfAborted();
  const client = new KafkaClient(place);
  const topics = topicsOf(place.prefix);
  const signal = options.signal ?? new AbortController().signal;
  const readers = new Readers(client, place.prefix, Object.values(topics));
  try {
    const making = { client, readers, topics, place, url, signal };
    if (options.create === true && options.readOnly !== true) {
      await makeEvidence(making, options.createAs ?? newRunId(), options.part);
    }
    const identity = await readIdentity(making);
    return new KafkaLog({ client, readers, topics, identity, url, waits, patience: place.patience });
  } catch (error) {
    await readers.close();
    await client.close();
    throw error;
  }
}
