// What is said of a ledger in a real Kafka whose topics hold what is no event, or were set otherwise than it makes them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../checks.ts';
import { type KafkaPrefixes, kafkaPrefixes } from '../contract/kafka-fixture.ts';
import { openLedger } from '../open.ts';
import { connect } from './connect.ts';
import { checkKafka } from './health.ts';
import { parseKafkaUrl } from './place.ts';
import { whyNoKafka } from './testing/broker.ts';
import { partitionsOf, rejectedTopic, topicOf, topicsWanted } from './topics.ts';
import type { Transport } from './transport/transport.ts';

const why = whyNoKafka();

describe.skipIf(why !== null)(`The health of a ledger in Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let prefixes: KafkaPrefixes;
  let transport: Transport;
  let url = '';
  let prefix = '';
  beforeAll(async () => {
    prefixes = await kafkaPrefixes('partitions=1');
    transport = await connect(parseKafkaUrl(prefixes.url()));
  });
  beforeEach(() => {
    url = prefixes.url();
    ({ prefix } = parseKafkaUrl(url));
  });
  afterAll(async () => {
    await transport?.close();
    await prefixes?.dispose();
  });

  /** Its notes lie in a topic that somebody else made. */
  async function made(others: Readonly<Record<string, string>> = {}): Promise<void> {
    const notes = topicsWanted(prefix, partitionsOf(1), -1).filter(({ name }) => name === topicOf(prefix, 'notes'));
    await transport.create(
      notes.map((topic) => ({ ...topic, settings: { ...topic.settings, ...others }, wished: {} })),
    );
    await (await openLedger(url, { create: true })).close();
  }

  async function check(name: string): Promise<Check | undefined> {
    const checks = await checkKafka({ url, place: parseKafkaUrl(url) });
    return checks.find((one) => one.name === name);
  }

  it('counts what is no event as soon as it is there, and a copy of it is made by who opens the ledger to write', async () => {
    await made();
    await transport.produce(topicOf(prefix, 'notes'), 0, [{ key: 'nobody', value: '', headers: {}, timestamp: 0 }]);
    expect(await check('rejected')).toMatchObject({ status: 'warning', found: '1 record is no event, or holds none' });
    expect(await transport.ends(rejectedTopic(prefix))).toMatchObject([{ end: 0 }]);
    await (await openLedger(url)).close();
    expect(await transport.ends(rejectedTopic(prefix))).toMatchObject([{ end: 1 }]);
  });

  it('warns where a topic refuses events for their times', async () => {
    await made({ 'message.timestamp.after.max.ms': '3600000' });
    const found = expect.stringContaining(`message.timestamp.after.max.ms=3600000 on ${topicOf(prefix, 'notes')}`);
    expect(await check('clocks')).toMatchObject({ status: 'warning', found });
  });

  it('is bad where a topic packs events so that nobody can read them', async () => {
    await expect(made({ 'compression.type': 'lz4' })).rejects.toMatchObject({ name: 'WouldLoseHistory' });
    expect(await check('ledger')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('compression.type=producer'),
    });
  });
});
