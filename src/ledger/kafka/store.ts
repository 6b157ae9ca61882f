// Opens the evidence of a ledger in Kafka: a log, wrapped in the engine that all servers share. Its identity is the first record of
// the topic `<prefix>.ledger`: of several processes that create the ledger at the same time, each writes one.
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import { LedgerMissing, NotALedger, newerLedger } from '../errors.ts';
import type { Cursor } from '../event.ts';
import { newRunId } from '../identity/ids.ts';
import { type Ledger, type OpenOptions, partIn } from '../ledger.ts';
import { ServerRejected, serverAway } from '../remote/errors.ts';
import { RemoteLedger, type RemoteOptions, waitsOf } from '../remote/ledger.ts';
import { retry, type Waits } from '../remote/retry.ts';
import type { AttemptPage, AttemptRange, AttemptStore, CountingAttempt, EvidencePage } from '../split/evidence.ts';
import { KafkaClient } from './client.ts';
import { type KafkaIdentity, KafkaLog } from './log.ts';
import type { KafkaUrl } from './place.ts';
import { newTopics, requireKeeping, type Topics, topicLost, topicsOf } from './topics.ts';

export type Located = Pick<KafkaUrl, 'url' | 'place'>;

/** The evidence of a split ledger: a general ledger, with faster reads for callers that know the attempts. */
export class KafkaLedger extends RemoteLedger implements AttemptStore {
  readonly #log: KafkaLog;

  constructor(log: KafkaLog, options: RemoteOptions) {
    super(log, options);
    this.#log = log;
  }

  /** Throws EvidenceMissing if an attempt has fewer events than it should. */
  readAttempts(attempts: readonly AttemptRange[]): AsyncGenerator<AttemptPage> {
    return this.whileOpen((signal) => this.#readAttempts(attempts, signal));
  }

  async *#readAttempts(attempts: readonly AttemptRange[], signal: AbortSignal): AsyncGenerator<AttemptPage> {
    let [index, next] = [0, attempts[0]?.from ?? 0];
    const rest = (): readonly AttemptRange[] =>
      attempts.slice(index).map((attempt, i) => (i === 0 ? { ...attempt, from: next } : attempt));
    for await (const page of this.calls.resumed(() => this.#log.readAttempts(rest(), signal), signal)) {
      next = page.isLast ? (attempts[++index]?.from ?? 0) : (page.events.at(-1)?.revision ?? next - 1) + 1;
      yield { isLast: page.isLast, events: page.events.map(this.reading.stored) };
    }
  }

  everything(): AsyncGenerator<EvidencePage> {
    return this.whileOpen((signal) => this.#everything(signal));
  }

  async *#everything(signal: AbortSignal): AsyncGenerator<EvidencePage> {
    for await (const { events, foreign = [] } of this.calls.follow({ after: null, live: false }, signal))
      yield { events: events.map(this.reading.stored), foreign };
  }

  publishSealed(attempts: readonly CountingAttempt[], checkpoint: Cursor): Promise<void> {
    return this.ask(() => this.#log.publishSealed(attempts, checkpoint));
  }

  publishedUpTo(): Promise<Cursor | null> {
    return this.ask((_, signal) => this.#log.publishedUpTo(signal));
  }
}

/** Only for split ledgers: the registry of stores refuses a `kafka:` URL alone. */
export async function openKafka(location: Located, options: OpenOptions): Promise<KafkaLedger> {
  const { patience } = location.place;
  const { signal = never, readOnly = false } = options;
  const waits = waitsOf(options.onWait, patience);
  const log = await retry(
    { ms: patience * 1_000, waits, signal },
    () => openLog(location, options, waits),
    (last) => serverAway(location.url, last),
  );
  return new KafkaLedger(log, { patience, waits, readOnly });
}

const { signal: never } = new AbortController();

interface Opening extends Located {
  readonly client: KafkaClient;
  readonly topics: Topics;
  readonly signal: AbortSignal;
}

export async function openLog({ url, place }: Located, options: OpenOptions, waits: Waits): Promise<KafkaLog> {
  const { signal = never } = options;
  signal.throwIfAborted();
  const client = new KafkaClient(place);
  const topics = topicsOf(place.prefix);
  try {
    const opening = { client, topics, url, place, signal };
    if (options.create === true && options.readOnly !== true) {
      await makeEvidence(opening, options.createAs ?? newRunId(), options.part);
    }
    const identity = await readIdentity(opening);
    return new KafkaLog({ client, topics, identity, url, waits, patience: place.patience });
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The version of the layout of evidence in Kafka. */
const formatVersion = 2;

/** Throws LedgerMissing, NotALedger, TopicLost, NewerLedger, WouldLoseHistory. */
async function readIdentity(opening: Opening): Promise<KafkaIdentity> {
  const { client, topics, url } = opening;
  const [events = null, sealed = null, ledger = null] = await client.describe(Object.values(topics));
  if (ledger === null) throw new LedgerMissing(url);
  const identity = await firstRecord(opening);
  if (events === null || sealed === null) {
    const missing = events === null ? topics.events : topics.sealed;
    // Creating a ledger writes this record last, when all its topics exist.
    throw identity === null ? new NotALedger(url, `there is no topic ${missing}`) : topicLost(url, topics, missing);
  }
  if (identity === null) throw new LedgerMissing(url);
  const found = identityIn(identity, url);
  requireKeeping(events);
  return found;
}

/** Does nothing if it already exists. */
async function makeEvidence(opening: Opening, ledger: string, part: Ledger['part']): Promise<void> {
  const { client, topics, place } = opening;
  const names = Object.values(topics);
  const existing = await client.existing(names);
  if (existing.length === names.length && (await firstRecord(opening)) !== null) return;
  const { brokers } = await client.ask('', (admin) => admin.describeCluster());
  const make = (times?: object): Promise<boolean> =>
    client.ask(names.join(', '), (admin) =>
      admin.createTopics({ topics: newTopics(topics, place, brokers.length, times), waitForLeaders: true }),
    );
  await make().catch((error) => {
    if (!(error instanceof ServerRejected)) throw error;
    // Brokers before 3.6 refuse the settings for times, which they do not need.
    return make({});
  });
  // Existing topics are left unchanged, whichever process created them.
  const partitions = await client.countPartitions(topics.events);
  const value = JSON.stringify({ format: formatVersion, ledger, part, partitions });
  await client.publish(topics.ledger, [{ key: 'ledger', value, partition: 0 }]);
}

/** Null: the ledger is not made yet. */
async function firstRecord({ client, topics, signal }: Opening): Promise<string | null> {
  for await (const { records } of client.reader.readWhole(topics.ledger, signal)) {
    const [first] = records;
    if (first !== undefined) return first.value?.toString('utf8') ?? '';
  }
  return null;
}

function identityIn(text: string, url: string): KafkaIdentity {
  const fields = jsonOrUndefined(text);
  const { format, ledger, part, partitions } = isObject(fields) ? fields : {};
  if (typeof format === 'number' && format > formatVersion) throw newerLedger(url, format, formatVersion);
  const isMade = format === formatVersion && typeof ledger === 'string';
  if (!isMade || !Number.isInteger(partitions)) {
    throw new NotALedger(url, `its first record is ${text.slice(0, 80)}`);
  }
  return { ledger, part: partIn(part), partitions: Number(partitions) };
}
