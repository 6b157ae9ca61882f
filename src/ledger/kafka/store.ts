// Opens and checks the evidence of a ledger in Kafka: a log, wrapped in the engine that all servers share. Its identity is the first record of
// the topic `<prefix>.ledger`: of several processes that create the ledger at the same time, each writes one.
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import { type Check, checksOf, failure, ok, warning } from '../checks.ts';
import { LedgerMissing, NotALedger, newerLedger } from '../errors.ts';
import type { Cursor } from '../event.ts';
import { newRunId } from '../identity/ids.ts';
import { type Ledger, type OpenOptions, partIn } from '../ledger.ts';
import { ServerRejected } from '../remote/errors.ts';
import { RemoteLedger } from '../remote/ledger.ts';
import { Waits } from '../remote/retry.ts';
import type {
  AttemptPage,
  AttemptRange,
  AttemptStore,
  CountingAttempt,
  EvidencePage,
  Published,
} from '../split/evidence.ts';
import { KafkaClient } from './client.ts';
import { anyTime, evidenceMissingIn } from './errors.ts';
import { type KafkaIdentity, KafkaLog } from './log.ts';
import type { KafkaUrl } from './place.ts';
import { anyTimes, largestBatchBytes, newTopics, requireKeeping, type TopicFound, topicLost } from './topics.ts';

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
    return this.ask(() => this.#log.publishSealed(attempts, checkpoint));
  }

  readPublished(): Promise<Published> {
    return this.ask((_, signal) => this.#log.readPublished(signal));
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
  const { signal = never } = options;
  signal.throwIfAborted();
  const client = new KafkaClient(place);
  try {
    if (options.create === true && options.readOnly !== true) {
      await makeEvidence(client, options.createAs ?? newRunId(), options.part, signal);
    }
    return new KafkaLog(client, url, await readIdentity(client, url, signal), waits);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The version of the layout of evidence in Kafka. */
const formatVersion = 2;

/** Throws LedgerMissing, NotALedger, TopicLost, NewerLedger, WouldLoseHistory. */
async function readIdentity(client: KafkaClient, url: string, signal: AbortSignal): Promise<KafkaIdentity> {
  const { topics } = client;
  const [events = null, sealed = null, ledger = null] = await client.describe(Object.values(topics));
  if (ledger === null) throw new LedgerMissing(url);
  const identity = await firstRecord(client, signal);
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
async function makeEvidence(
  client: KafkaClient,
  ledger: string,
  part: Ledger['part'],
  signal: AbortSignal,
): Promise<void> {
  const { topics, place } = client;
  const names = Object.values(topics);
  const existing = await client.existing(names);
  if (existing.length === names.length && (await firstRecord(client, signal)) !== null) return;
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
async function firstRecord({ reader, topics }: KafkaClient, signal: AbortSignal): Promise<string | null> {
  for await (const { records } of reader.readWhole(topics.ledger, signal)) {
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

/** The checks of `icecore doctor`. They change nothing. */
export async function checkKafka({ url, place }: Located): Promise<readonly Check[]> {
  return await checksOf(
    url,
    () => openKafka({ url, place }, { readOnly: true }),
    async (ledger) => {
      const client = new KafkaClient(place);
      const found = await client.describe(Object.values(client.topics)).finally(() => client.close());
      const topics = found.filter((topic) => topic !== null);
      // Without an index, only records can be counted, not events.
      const { events } = await ledger.head();
      const records = events === 1 ? '1 record' : `${events} records`;
      return [
        ok('ledger', `${place.brokers.join(', ')}: ${ledger.id}, ${records}`),
        await checkHistory(ledger, client.topics.events),
        checkReplicas(topics),
        checkLeaders(topics),
        ...topics.filter(({ name }) => name === client.topics.events).flatMap((evidence) => checkTimes(evidence)),
        checkSizes(topics),
      ];
    },
  );
}

/** Opening the ledger already requires that the topic keeps everything from now on. */
async function checkHistory(ledger: KafkaLedger, topic: string): Promise<Check> {
  const { value: gone } = await ledger.audit({ wholly: false }).next();
  if (gone === undefined) return ok('history', `kept for ever in ${topic}`);
  return failure('history', evidenceMissingIn(gone.where, gone.what, {}));
}

function checkReplicas(topics: readonly TopicFound[]): Check {
  const least = Math.min(...topics.map(({ replicas }) => replicas));
  const inSync = Math.min(...topics.map(({ settings }) => Number(settings.get('min.insync.replicas') ?? 1)));
  const found = `${least} of each partition, of which ${inSync} must have acknowledged events`;
  if (least >= 2 && inSync > 1) return ok('replicas', found);
  const remedy =
    least < 2
      ? 'All of it is on the disk of one broker: keep copies with `icecore ledger copy`.'
      : 'Set min.insync.replicas=2 on the topics: otherwise acknowledged events may be lost with one broker.';
  return warning('replicas', found, remedy);
}

function checkLeaders(topics: readonly TopicFound[]): Check {
  const unclean = topics.filter(({ settings }) => settings.get('unclean.leader.election.enable') === 'true');
  if (unclean.length === 0) return ok('leaders', 'only brokers that have all acknowledged events');
  const names = unclean.map(({ name }) => name).join(', ');
  const found = `any broker may lead ${names}, including one that lacks acknowledged events`;
  return warning('leaders', found, 'Set unclean.leader.election.enable=false.');
}

function checkTimes({ name, settings }: TopicFound): readonly Check[] {
  const changed = `the broker overwrites them in ${name}, so the time of recording is lost in copies`;
  const narrow = Object.keys(anyTimes).filter((setting) => (settings.get(setting) ?? anyTime) !== anyTime);
  const limits = narrow.map((setting) => `${setting}=${settings.get(setting)} on ${name}`).join(', ');
  return [
    settings.get('message.timestamp.type') === 'LogAppendTime'
      ? warning('times', changed, 'Set message.timestamp.type=CreateTime.')
      : ok('times', 'set by the recorder of an event'),
    narrow.length === 0
      ? ok('clocks', 'events are accepted with any time')
      : warning(
          'clocks',
          `${limits}: events recorded with a wrong clock may be refused`,
          `Set ${Object.keys(anyTimes).join(' and ')} to ${anyTime}.`,
        ),
  ];
}

function checkSizes(topics: readonly TopicFound[]): Check {
  const sizes = topics.map(({ settings }) => Number(settings.get('max.message.bytes') ?? largestBatchBytes));
  const least = Math.min(...sizes);
  const found = `batches of up to ${Math.floor(least / 2 ** 20)} MiB`;
  if (least >= largestBatchBytes) return ok('sizes', found);
  return warning('sizes', found, `Set max.message.bytes=${largestBatchBytes}: large appends may be refused.`);
}
