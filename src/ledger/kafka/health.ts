// The checks of `icecore doctor` for evidence in Kafka: whether its topics keep all events, on how many brokers, and whether the
// events read match their digests. They change nothing.
import { type Check, checksOf, ok, warning } from '../checks.ts';
import { KafkaClient, type TopicFound } from './client.ts';
import { anyTime } from './errors.ts';
import type { KafkaPlace } from './place.ts';
import { type KafkaLedger, type Located, openKafka } from './store.ts';
import { anyTimes, largestBatchBytes, topicsOf } from './topics.ts';

export async function checkKafka({ url, place }: Located): Promise<readonly Check[]> {
  return await checksOf(
    url,
    () => openKafka({ url, place }, { readOnly: true }),
    async (ledger) => {
      const { events, sealed, ledger: identity } = topicsOf(place.prefix);
      const client = new KafkaClient(place);
      const found = await client.describe([events, sealed, identity]).finally(() => client.close());
      const topics = found.filter((topic) => topic !== null);
      const evidence = topics.filter(({ name }) => name === events);
      return [
        await describe(ledger, place),
        // Opening the ledger already requires that the topics keep everything.
        ok('history', `kept for ever in ${events}`),
        checkReplicas(topics),
        checkLeaders(topics),
        checkTimes(evidence),
        checkClocks(evidence),
        checkSizes(topics),
      ];
    },
  );
}

/** Without an index, only records can be counted, not events. */
async function describe(ledger: KafkaLedger, { brokers }: KafkaPlace): Promise<Check> {
  const { events } = await ledger.head();
  return ok('ledger', `${brokers.join(', ')}: ${ledger.id}, ${events === 1 ? '1 record' : `${events} records`}`);
}

function checkReplicas(topics: readonly TopicFound[]): Check {
  const least = Math.min(...topics.map(({ replicas }) => replicas));
  const inSync = Math.min(...topics.map(({ settings }) => Number(settings.get('min.insync.replicas') ?? 1)));
  const found = `${least} of each partition, of which ${inSync} must have acknowledged events`;
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
    'Set min.insync.replicas=2 on the topics: otherwise acknowledged events may be lost with one broker.',
  );
}

function checkLeaders(topics: readonly TopicFound[]): Check {
  const unclean = topics.filter(({ settings }) => settings.get('unclean.leader.election.enable') === 'true');
  if (unclean.length === 0) return ok('leaders', 'only brokers that have all acknowledged events');
  return warning(
    'leaders',
    `any broker may lead ${unclean.map(({ name }) => name).join(', ')}, including one that lacks acknowledged events`,
    'Set unclean.leader.election.enable=false.',
  );
}

function checkTimes(topics: readonly TopicFound[]): Check {
  const changed = topics.filter(({ settings }) => settings.get('message.timestamp.type') === 'LogAppendTime');
  if (changed.length === 0) return ok('times', 'set by the recorder of an event');
  return warning(
    'times',
    `the broker overwrites them in ${changed.map(({ name }) => name).join(', ')}, so the time of recording is lost in copies`,
    'Set message.timestamp.type=CreateTime.',
  );
}

function checkClocks(topics: readonly TopicFound[]): Check {
  const narrow = topics.flatMap(({ name, settings }) => {
    const found = Object.keys(anyTimes).map((setting) => ({ setting, value: settings.get(setting) ?? anyTime }));
    return found.filter(({ value }) => value !== anyTime).map(({ setting, value }) => `${setting}=${value} on ${name}`);
  });
  if (narrow.length === 0) return ok('clocks', 'events are accepted with any time');
  return warning(
    'clocks',
    `${narrow.join(', ')}: events recorded with a wrong clock may be refused`,
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
