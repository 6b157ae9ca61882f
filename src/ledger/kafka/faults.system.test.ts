// Faults that evidence in Kafka survives: brokers that are killed, suspended and restarted, broken connections, ended sessions.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { KafkaLog } from './log.ts';
import { parseKafkaUrl } from './place.ts';
import { type KafkaLedger, openKafka } from './store.ts';
import { type Kafka, type OwnBrokers, startKafka, whyNoKafka } from './testing/broker.ts';
import {
  closeLogs,
  digestsByStream,
  digestsOf,
  Evidence,
  endless,
  eventsOf,
  lastDigest,
  readBack,
  streamNumber,
  type Written,
  warmUp,
  withRetries,
  write,
} from './testing/evidence.ts';
import type { KafkaProxy } from './testing/proxy.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'brokers of our own are killed' : whyNoKafka();
const broken = { name: 'AttemptBroken', kind: 'unavailable' };

describe.skipIf(why !== null)(`Evidence in Kafka survives${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  let own: OwnBrokers;
  beforeAll(async () => {
    kafka = await startKafka();
    await warmUp(kafka);
    own = kafka.own as OwnBrokers;
  });
  afterEach(closeLogs);
  afterAll(() => kafka?.stop());

  async function behindProxy(
    settings = 'partitions=1',
  ): Promise<{ evidence: Evidence; log: KafkaLog; proxy: KafkaProxy }> {
    const evidence = new Evidence(kafka, settings);
    await (await evidence.make()).close();
    const proxy = await own.proxy(0);
    onTestFinished(() => proxy.close());
    const log = await evidence.open({}, evidence.url.replace(kafka.brokers.join(','), proxy.address));
    return { evidence, log, proxy };
  }

  /** All acknowledged events exist once, as seen by another reader. */
  async function requireThere(evidence: Evidence, written: readonly Written[]): Promise<void> {
    // A broker that just started may not lead its partitions yet.
    const other = await withRetries(() => evidence.open());
    expect([...(await readBack(other, written))]).toEqual([...digestsByStream(written)]);
    for (const { stream, digests } of written) {
      expect(await digestsOf(other.readStream(stream, { from: 0 }, endless))).toEqual(digests);
    }
  }

  it.each(['request', 'answer'] as const)('a connection that breaks at the %s of a send', async (moment) => {
    const { evidence, log, proxy } = await behindProxy();
    const stream = streamNumber(0);
    await log.append(stream, eventsOf(stream, 0, 10), { isNew: true, signal: endless });
    const cut = proxy.cutAt(moment, 'produce');
    const second = await log.append(stream, eventsOf(stream, 10, 10), { isNew: true, signal: endless });
    await cut;
    // Stored once: the broker recognises the repeated batch.
    expect(second).toMatchObject({ kind: 'appended', place: { from: 0, to: 19 } });
    const digests = eventsOf(stream, 0, 20).map(({ digest }) => digest);
    await requireThere(evidence, [
      { stream, from: 0, to: 19, count: 20, place: { partition: 0, from: 0, to: 19 }, digests },
    ]);
  });

  it('a send without an answer: the attempt ends, and its events are written to a new one', async () => {
    const { evidence, log, proxy } = await behindProxy('partitions=1&patience=1');
    const [stream, next] = [streamNumber(0), streamNumber(1)];
    await log.append(stream, eventsOf(stream, 0, 10), { isNew: true, signal: endless });
    for (let time = 0; time < 100; time++) void proxy.cutAt('answer', 'produce');
    const unanswered = log.append(stream, eventsOf(stream, 10, 10), { isNew: true, signal: endless });
    await expect(unanswered).rejects.toMatchObject({ ...broken, patienceSeconds: 1 });
    const again = log.append(stream, eventsOf(stream, 10, 10), { isNew: true, signal: endless });
    await expect(again).rejects.toMatchObject(broken);
    proxy.calm();
    await requireThere(evidence, [await write(log, next, 20)]);
  });

  it('a fenced producer: the attempt and its session end', async () => {
    const { evidence, log, proxy } = await behindProxy();
    const stream = streamNumber(0);
    const fenced = proxy.fence();
    const send = log.append(stream, eventsOf(stream, 0, 10), { isNew: true, signal: endless });
    await expect(send).rejects.toMatchObject(broken);
    await fenced;
    await requireThere(evidence, [await write(log, streamNumber(1), 20, 10)]);
  });

  it('broken connections while reading and following', async () => {
    const { log, proxy } = await behindProxy();
    const written = await Promise.all([0, 1, 2].map((attempt) => write(log, streamNumber(attempt), 3_000)));
    for (let time = 0; time < 3; time++) {
      const cut = proxy.cutAt(time === 0 ? 'request' : 'answer', 'fetch');
      const found = await readBack(log, written).catch((error) => {
        expect(error).toMatchObject({ name: 'TransientError' });
      });
      await cut;
      if (found !== undefined) expect([...found]).toEqual([...digestsByStream(written)]);
    }
    expect([...(await withRetries(() => readBack(log, written)))]).toEqual([...digestsByStream(written)]);
  });

  it('a silent network: a call fails in time, and another one succeeds', async () => {
    const { log, proxy } = await behindProxy('partitions=1&patience=3');
    const written = [await write(log, streamNumber(0), 2_000)];
    proxy.silence();
    await expect(readBack(log, written)).rejects.toMatchObject({ name: 'TransientError' });
    const silent = log.append(streamNumber(1), eventsOf(streamNumber(1), 0, 1), { isNew: true, signal: endless });
    await expect(silent).rejects.toMatchObject(broken);
    proxy.flow();
    proxy.cut();
    expect([...(await withRetries(() => readBack(log, written)))]).toEqual([...digestsByStream(written)]);
  });

  it('a suspended broker while reading', async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    const written = [await write(log, streamNumber(0), 2_000)];
    await own.pause(0);
    const reading = readBack(await log, written);
    await own.resume(0);
    expect([...(await reading)]).toEqual([...digestsByStream(written)]);
  });

  it('a broker that does not answer: opening fails after the patience, and succeeds later', async () => {
    const evidence = new Evidence(kafka, 'partitions=1&patience=1');
    await (await evidence.make()).close();
    const open = (): Promise<KafkaLedger> => openKafka({ url: evidence.url, place: parseKafkaUrl(evidence.url) }, {});
    await own.pause(0);
    onTestFinished(() => own.resume(0));
    await expect(open()).rejects.toMatchObject({ name: 'ServerAway', kind: 'unavailable' });
    await own.resume(0);
    await (await withRetries(open)).close();
  });

  it('a broker that is killed between sends, and one that is down when a session starts', async () => {
    const evidence = new Evidence(kafka, 'partitions=2&patience=3');
    const log = await evidence.make();
    const before = await write(log, streamNumber(0), 500, 100);
    await own.kill(0);
    await expect(write(log, streamNumber(1), 10)).rejects.toMatchObject(broken);
    const unopened = lastDigest(log, streamNumber(9));
    await expect(unopened).rejects.toMatchObject({ name: 'TransientError' });
    await own.restart(0);
    const after = await write(log, streamNumber(2), 500, 100);
    await requireThere(evidence, [before, after]);
  });
});

describe.skipIf(why !== null)(`Evidence on three brokers survives${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 3 });
    await warmUp(kafka);
  });
  afterEach(closeLogs);
  afterAll(() => kafka?.stop());

  it('the loss of any one of them while writing and reading', async () => {
    const evidence = new Evidence(kafka, 'partitions=3');
    const log = await evidence.make();
    const settings = await evidence.administer(async (admin) => {
      const resources = [{ type: 2, name: evidence.events, configNames: ['min.insync.replicas'] }];
      return (await admin.describeConfigs({ resources, includeSynonyms: false })).resources[0]?.configEntries;
    });
    expect(settings).toMatchObject([{ configValue: '2' }]);
    const acknowledged: Written[] = [];
    let attempt = 0;
    const fill = async (): Promise<void> => {
      for (const enough = attempt + 6; attempt < enough; ) {
        const stream = streamNumber(attempt++);
        await write(log, stream, 300, 50).then(
          (written) => acknowledged.push(written),
          (error) => expect(['AttemptBroken', 'TransientError']).toContain(error.name),
        );
      }
    };
    await fill();
    for (const broker of [0, 1, 2]) {
      await Promise.all([fill(), kafka.own?.kill(broker)]);
      await fill();
      await kafka.own?.restart(broker);
    }
    expect(acknowledged.length).toBeGreaterThan(12);
    const other = await evidence.open();
    expect([...(await readBack(other, acknowledged))]).toEqual([...digestsByStream(acknowledged)]);
  });
});
