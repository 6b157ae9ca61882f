// What can be said about a ledger in Kafka without changing it: whether its topics keep all that was written, on how many
// brokers, whether what was read of it last is what was hashed, and what of it does not count.
import { type Check, checkLastEvents, failure, ok, warning } from '../checks.ts';
import { LedgerMissing } from '../errors.ts';
import { countedEvents } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { connect } from './connect.ts';
import type { KafkaPlace } from './place.ts';
import { type KafkaLedger, openKafka } from './store.ts';
import { anyTimes, largestBatchBytes, rejectedTopic, topicsOf } from './topics.ts';
import { anyTime, type TopicFound, type Transport } from './transport/transport.ts';

export async function checkKafka(at: { readonly url: string; readonly place: KafkaPlace }): Promise<readonly Check[]> {
  let transport: Transport | null = null;
  try {
    transport = await connect(at.place);
    const ledger = await openKafka(at, { readOnly: true });
    try {
      return [
        await describe(ledger, at.place),
        ...(await checkTopics(transport, at.place)),
        checkRejected(ledger, at.place),
        await checkLastEvents(ledger),
      ];
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerMissing)) return [failure('ledger', error)];
    return [warning('ledger', `none at ${at.url} yet`, 'Make one with `icecore init`.')];
  } finally {
    await transport?.close();
  }
}

async function describe(ledger: Ledger, { brokers, client }: KafkaPlace): Promise<Check> {
  const { events } = await ledger.head();
  return ok('ledger', `${brokers.join(', ')}: ${ledger.id}, ${countedEvents(events)}, by ${client}`);
}

async function checkTopics(transport: Transport, { prefix }: KafkaPlace): Promise<readonly Check[]> {
  const names = topicsOf(prefix);
  const found = await transport.describe(names);
  const topics = found.filter((topic) => topic !== null);
  return [
    // That they keep everything is looked at whenever the ledger is opened.
    ok('history', `kept for ever in ${topics.length} topics`),
    checkReplicas(topics),
    checkLeaders(topics),
    checkTimes(topics),
    checkClocks(topics),
    checkSizes(topics),
  ];
}

function checkReplicas(topics: readonly TopicFound[]): Check {
  const least = Math.min(...topics.map(({ replicas }) => replicas));
  const inSync = Math.min(...topics.map(({ settings }) => Number(settings.get('min.insync.replicas') ?? 1)));
  const found = `${least} of each partition, of which ${inSync} must have what is acknowledged`;
  if (least < 2)
    return warning('replicas', found, 'All of it is on the disk of one broker: keep copies with `icecore copy`.');
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

/** All that is there has been looked at before. */
function checkRejected(ledger: KafkaLedger, { prefix }: KafkaPlace): Check {
  const count = ledger.countRejected();
  if (count === 0) return ok('rejected', 'nothing that is no event');
  return warning(
    'rejected',
    count === 1 ? '1 record is no event, or holds none' : `${count} records are no events, or hold none`,
    `Copies of them are in ${rejectedTopic(prefix)}, each with its reason, once somebody has opened the ledger who may write to it.`,
  );
}
