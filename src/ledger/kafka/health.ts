// What can be said about evidence in Kafka without changing it: whether its topics keep all that was written, on how many
// brokers, and whether what is read of it is what was hashed.
import { type Check, failure, ok, warning } from '../checks.ts';
import { LedgerMissing } from '../errors.ts';
import { KafkaClient, type TopicFound } from './client.ts';
import { anyTime } from './errors.ts';
import type { KafkaPlace } from './place.ts';
import { type KafkaLedger, type KafkaLocation, openKafka } from './store.ts';
import { anyTimes, largestBatchBytes, topicsOf } from './topics.ts';

export async function checkKafka(location: KafkaLocation): Promise<readonly Check[]> {
  let client: KafkaClient | null = null;
  try {
    const ledger = await openKafka(location, { readOnly: true });
    try {
      client = new KafkaClient(location.place);
      const { events, sealed, ledger: identity } = topicsOf(location.place.prefix);
      const found = await client.describe([events, sealed, identity]);
      const topics = found.filter((topic) => topic !== null);
      const evidence = topics.filter(({ name }) => name === events);
      return [
        await describe(ledger, location.place),
        // That they keep everything is required whenever the ledger is opened.
        ok('history', `kept for ever in ${events}`),
        checkReplicas(topics),
        checkLeaders(topics),
        checkTimes(evidence),
        checkClocks(evidence),
        checkSizes(topics),
      ];
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerMissing)) return [failure('ledger', error)];
    return [warning('ledger', `none at ${location.url} yet`, 'Create one with `icecore init`.')];
  } finally {
    await client?.close();
  }
}

/** Without an index, records are counted rather than events. */
async function describe(ledger: KafkaLedger, { brokers }: KafkaPlace): Promise<Check> {
  const { events } = await ledger.head();
  return ok('ledger', `${brokers.join(', ')}: ${ledger.id}, ${events === 1 ? '1 record' : `${events} records`}`);
}

function checkReplicas(topics: readonly TopicFound[]): Check {
  const least = Math.min(...topics.map(({ replicas }) => replicas));
  const inSync = Math.min(...topics.map(({ settings }) => Number(settings.get('min.insync.replicas') ?? 1)));
  const found = `${least} of each partition, of which ${inSync} must have what is acknowledged`;
  if (least < 2)
    return warning(
      'replicas',
      found,
      'All of it is on the disk of one broker: keep copies with `icecore ledger copy`.',
    );
  if (inSync > 1) return ok('replicas', found);
  return warning(
    'replicas',
    found,
    'Set min.insync.replicas=2 on the topics: else what was acknowledged may be lost with one broker.',
  );
}

function checkLeaders(topics: readonly TopicFound[]): Check {
  const unclean = topics.filter(({ settings }) => settings.get('unclean.leader.election.enable') === 'true');
  if (unclean.length === 0) return ok('leaders', 'only brokers that have all that was acknowledged');
  return warning(
    'leaders',
    `any broker may lead ${unclean.map(({ name }) => name).join(', ')}, also one that lacks what was acknowledged`,
    'Set unclean.leader.election.enable=false.',
  );
}

function checkTimes(topics: readonly TopicFound[]): Check {
  const changed = topics.filter(({ settings }) => settings.get('message.timestamp.type') === 'LogAppendTime');
  if (changed.length === 0) return ok('times', 'those of whoever recorded an event');
  return warning(
    'times',
    `the broker puts its own into ${changed.map(({ name }) => name).join(', ')}: of a copy, one cannot tell when it was recorded`,
    'Set message.timestamp.type=CreateTime.',
  );
}

function checkClocks(topics: readonly TopicFound[]): Check {
  const narrow = topics.flatMap(({ name, settings }) => {
    const found = Object.keys(anyTimes).map((setting) => ({ setting, value: settings.get(setting) ?? anyTime }));
    return found.filter(({ value }) => value !== anyTime).map(({ setting, value }) => `${setting}=${value} on ${name}`);
  });
  if (narrow.length === 0) return ok('clocks', 'events are taken whatever their clock said');
  return warning(
    'clocks',
    `${narrow.join(', ')}: what was recorded by a clock that was wrong may be refused`,
    `Set ${Object.keys(anyTimes).join(' and ')} to ${anyTime}.`,
  );
}

function checkSizes(topics: readonly TopicFound[]): Check {
  const least = Math.min(
    ...topics.map(({ settings }) => Number(settings.get('max.message.bytes') ?? largestBatchBytes)),
  );
  const found = `batches of up to ${Math.floor(least / 2 ** 20)} MiB`;
  if (least >= largestBatchBytes) return ok('sizes', found);
  return warning('sizes', found, `Set max.message.bytes=${largestBatchBytes}: large appends may be refused.`);
}
