// Opens the evidence of a ledger in Kafka: a log, wrapped in the engine that all servers share.

import type { Cursor } from '../event.ts';
import { newRunId } from '../identity/ids.ts';
import type { OpenOptions } from '../ledger.ts';
import { RemoteLedger } from '../remote/ledger.ts';
import { Waits } from '../remote/retry.ts';
import type { AttemptPage, AttemptRange, AttemptStore, CountingAttempt, EvidencePage } from '../split/evidence.ts';
import { KafkaClient } from './client.ts';
import { makeEvidence, readIdentity } from './identity.ts';
import { KafkaLog } from './log.ts';
import type { KafkaUrl } from './place.ts';
import { Readers } from './reader.ts';
import { topicsOf } from './topics.ts';

export type Located = Pick<KafkaUrl, 'url' | 'place'>;

/** The evidence of a split ledger: a general ledger, with faster reads for callers that know the attempts. */
export class KafkaLedger extends RemoteLedger implements AttemptStore {
  readonly #log: KafkaLog;

  constructor(log: KafkaLog, waits: Waits, readOnly: boolean) {
    super(log, waits, readOnly);
    this.#log = log;
  }

  /** Throws EvidenceMissing if an attempt has fewer events than it should. */
  async *readAttempts(attempts: readonly AttemptRange[]): AsyncGenerator<AttemptPage> {
    const signal = this.untilClosed();
    let [index, next] = [0, attempts[0]?.from ?? 0];
    const rest = (): readonly AttemptRange[] =>
      attempts.slice(index).map((attempt, i) => (i === 0 ? { ...attempt, from: next } : attempt));
    for await (const page of this.calls.resumed(() => this.#log.readAttempts(rest(), signal), signal)) {
      next = page.isLast ? (attempts[++index]?.from ?? 0) : (page.events.at(-1)?.revision ?? next - 1) + 1;
      yield { isLast: page.isLast, events: page.events.map(this.stored) };
    }
  }

  async *everything(): AsyncGenerator<EvidencePage> {
    const pages = this.calls.follow({ after: null, live: false }, this.untilClosed());
    for await (const { events, foreign = [] } of pages) yield { events: events.map(this.stored), foreign };
  }

  publishSealed(attempts: readonly CountingAttempt[], checkpoint: Cursor): Promise<void> {
    return this.ask(() => this.#log.sealed.publish(attempts, checkpoint));
  }

  publishedUpTo(): Promise<Cursor | null> {
    return this.ask((_, signal) => this.#log.sealed.publishedUpTo(signal));
  }
}

/** Only for split ledgers: the registry of stores refuses a `kafka:` URL alone. */
export async function openKafka(location: Located, options: OpenOptions): Promise<KafkaLedger> {
  const waits = new Waits(location.url, location.place.patience, options.onWait);
  const { signal = never } = options;
  const log = await waits.retry(() => openLog(location, options, waits), signal);
  return new KafkaLedger(log, waits, options.readOnly ?? false);
}

const { signal: never } = new AbortController();

export async function openLog({ url, place }: Located, options: OpenOptions, waits: Waits): Promise<KafkaLog> {
  options.signal?.throwIfAborted();
  const client = new KafkaClient(place);
  const topics = topicsOf(place.prefix);
  const { signal = never } = options;
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
