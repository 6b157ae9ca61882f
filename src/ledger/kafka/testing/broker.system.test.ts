import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import kafkajs, { type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kafka, startKafka, whyNoKafka } from './broker.ts';

const reason = whyNoKafka();
if (reason !== null) console.warn(`The tests of the Kafka broker are skipped: ${reason}`);

describe.skipIf(reason !== null)('a test Kafka', () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterAll(() => kafka?.stop());

  it('is shared within one process', async () => {
    expect((await startKafka()).brokers).toEqual(kafka.brokers);
  });

  describe.skipIf(process.env['ICECORE_TEST_KAFKA'])('started for the tests', () => {
    it('is running for the next user, even after it was killed or suspended', async () => {
      await kafka.own?.kill(0);
      await topicsOf((await startKafka()).brokers);
      await kafka.own?.pause(0);
      await topicsOf((await startKafka()).brokers);
    });

    it('has the address of the proxy for clients of the proxy', async () => {
      const proxy = await kafka.own?.proxy(0);
      const found = await brokersOf([proxy?.address ?? '']);
      await proxy?.close();
      expect(found).toEqual([proxy?.address]);
    });

    it('names a missing broker', async () => {
      await expect(kafka.own?.kill(1)).rejects.toThrow('no broker 1');
    });
  });

  it.skipIf(process.env['ICECORE_TEST_KAFKA'])('can have three brokers, any of which may be lost', async () => {
    const three = await startKafka({ brokers: 3 });
    expect([...(await brokersOf(three.brokers))].sort()).toEqual([...three.brokers].sort());
    const topic = await madeTopic(three.brokers, 3);
    await three.own?.kill(0);
    expect(await topicsOf(three.brokers.slice(1))).toContain(topic);
    await three.own?.restart(0);
    expect(await topicsOf(three.brokers.slice(0, 1))).toContain(topic);
    await three.stop();
    expect(await Promise.all(three.brokers.map((broker) => isThere(broker)))).toEqual([false, false, false]);
  });
});

async function withAdmin<T>(brokers: readonly string[], question: (admin: Admin) => Promise<T>): Promise<T> {
  const { Kafka, logLevel } = kafkajs;
  const kafka = new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 20, maxRetryTime: 500 },
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await question(admin);
  } finally {
    await admin.disconnect();
  }
}

async function madeTopic(brokers: readonly string[], replicas = 1): Promise<string> {
  const topic = `tried-${randomUUID()}`;
  const topics = [{ topic, numPartitions: 1, replicationFactor: replicas }];
  await withAdmin(brokers, (admin) => admin.createTopics({ topics, waitForLeaders: true }));
  return topic;
}

function topicsOf(brokers: readonly string[]): Promise<readonly string[]> {
  return withAdmin(brokers, (admin) => admin.listTopics());
}

async function brokersOf(brokers: readonly string[]): Promise<readonly string[]> {
  const found = await withAdmin(brokers, (admin) => admin.describeCluster());
  return found.brokers.map(({ host, port }) => `${host}:${port}`);
}

async function isThere(broker = ''): Promise<boolean> {
  const socket = connect(Number(broker.split(':')[1]), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
