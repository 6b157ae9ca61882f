// The checks of evidence in a real Kafka, of its settings and its access.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Check } from '../checks.ts';
import { openLedger } from '../open.ts';
import { loginMechanisms, parseKafkaUrl } from './place.ts';
import { checkKafka, openKafka } from './store.ts';
import { type Guarded, type Kafka, startKafka, whyNoKafka } from './testing/broker.ts';
import { closeLogs, Evidence, endless, eventsOf, lastDigest, streamNumber, warmUp, write } from './testing/evidence.ts';

const why = whyNoKafka();

describe.skipIf(why !== null)(`A Kafka with evidence${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
    await warmUp(kafka);
  });
  afterEach(closeLogs);
  afterAll(() => kafka?.stop());

  async function checked(url: string): Promise<ReadonlyMap<string, Check>> {
    const checks = await checkKafka({ url, place: parseKafkaUrl(url) });
    return new Map(checks.map((check) => [check.name, check]));
  }

  it('is described by its checks', async () => {
    const evidence = new Evidence(kafka);
    expect([...(await checked(evidence.url)).values()]).toMatchObject([{ name: 'ledger', status: 'warning' }]);
    const log = await evidence.make();
    await write(log, streamNumber(0), 3);
    const checks = await checked(evidence.url);
    expect(checks.get('ledger')).toMatchObject({
      status: 'ok',
      found: expect.stringContaining(`${log.ledger}, 3 records`),
    });
    expect(checks.get('replicas')?.status).toBe('warning');
    for (const name of ['history', 'leaders', 'times', 'clocks', 'sizes']) expect(checks.get(name)?.status).toBe('ok');
  });

  it.each([
    ['clocks', 'message.timestamp.after.max.ms', '3600000'],
    ['times', 'message.timestamp.type', 'LogAppendTime'],
    ['sizes', 'max.message.bytes', '1000000'],
    ['leaders', 'unclean.leader.election.enable', 'true'],
  ])('gets a warning for a dangerous setting: %s', async (name, setting, value) => {
    const evidence = new Evidence(kafka);
    await evidence.make();
    await evidence.administer((admin) => {
      const configEntries = [{ name: setting, value }];
      return admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name: evidence.events, configEntries }],
      });
    });
    expect((await checked(evidence.url)).get(name)).toMatchObject({ status: 'warning' });
  });

  it('fails the check of its history if records are gone', async () => {
    const evidence = new Evidence(kafka);
    await write(await evidence.make(), streamNumber(0), 3);
    await evidence.removeBefore(2);
    expect((await checked(evidence.url)).get('history')).toMatchObject({
      status: 'failed',
      found: `${evidence.events}/0: it begins at offset 2: earlier records are gone`,
      remedy: expect.stringContaining('Restore the evidence'),
    });
  });

  it.each([
    ['events', 'copy a backup of the ledger to two new places'],
    ['sealed', 'No evidence is lost with it'],
  ])('with a missing topic is not treated as never created: %s', async (topic, remedy) => {
    const evidence = new Evidence(kafka);
    await evidence.make();
    const gone = evidence.events.replace(/events$/, topic);
    await evidence.administer((admin) => admin.deleteTopics({ topics: [gone] }));
    const refusal = expect.objectContaining({ name: 'TopicLost', remedy: expect.stringContaining(remedy) });
    await expect(openKafka({ url: evidence.url, place: parseKafkaUrl(evidence.url) }, {})).rejects.toEqual(refusal);
  });

  it.each([
    ['lz4', 'WouldLoseHistory', 'compression.type=producer'],
    ['snappy', 'WouldLoseHistory', 'compression.type=producer'],
  ])('is not opened if the broker compresses events with an unsupported codec: %s', async (codec, name, remedy) => {
    const evidence = new Evidence(kafka);
    await evidence.make();
    await evidence.administer((admin) => {
      const configEntries = [{ name: 'compression.type', value: codec }];
      return admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name: evidence.events, configEntries }],
      });
    });
    const refusal = expect.objectContaining({ name, remedy: expect.stringContaining(remedy) });
    await expect(openKafka({ url: evidence.url, place: parseKafkaUrl(evidence.url) }, {})).rejects.toEqual(refusal);
    expect((await checked(evidence.url)).get('ledger')).toMatchObject({ status: 'failed' });
  });

  it('refuses events that are too large or have a refused time, and names the setting', async () => {
    const evidence = new Evidence(kafka, 'partitions=1&compression=none');
    const log = await evidence.make();
    await evidence.administer((admin) => {
      const configEntries = [
        { name: 'max.message.bytes', value: '2000' },
        { name: 'message.timestamp.before.max.ms', value: '1000' },
      ];
      return admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name: evidence.events, configEntries }],
      });
    });
    const large = log.append(streamNumber(0), eventsOf(streamNumber(0), 0, 50), { isNew: true, signal: endless });
    await expect(large).rejects.toMatchObject({ name: 'BatchTooLarge' });
    const old = eventsOf(streamNumber(1), 0, 1).map((event) => ({ ...event, recordedMs: 1_000 }));
    const late = log.append(streamNumber(1), old, { isNew: true, signal: endless });
    await expect(late).rejects.toMatchObject({
      name: 'TimeRefused',
      remedy: expect.stringContaining('before.max.ms='),
    });
  });

  it('cannot be written or read as a ledger by itself', async () => {
    const evidence = new Evidence(kafka);
    await evidence.make();
    for (const options of [{}, { readOnly: true }, { create: true }]) {
      await expect(openLedger(evidence.url, options)).rejects.toMatchObject({
        name: 'BadLedgerUrl',
        remedy: expect.stringContaining(`split:sqlite:.icecore/ledger.db+${evidence.url}`),
      });
    }
  });

  it.each(['zstd', 'gzip', 'none'])('contains events compressed with %s', async (codec) => {
    const evidence = new Evidence(kafka, `partitions=1&compression=${codec}`);
    const written = await write(await evidence.make(), streamNumber(0), 100);
    const ledger = await openKafka({ url: evidence.url, place: parseKafkaUrl(evidence.url) }, { readOnly: true });
    const digests: string[] = [];
    for await (const { events } of ledger.readAttempts([written])) digests.push(...events.map(({ digest }) => digest));
    expect(digests).toEqual(written.digests);
    await ledger.close();
  });

  describe.skipIf(process.env['ICECORE_TEST_KAFKA'])('with access control', () => {
    const guarded = (): Guarded => kafka.own?.guarded as Guarded;
    afterEach(() => vi.unstubAllEnvs());

    function enter(password: string, mechanism: string, ca = `&ca=${encodeURIComponent(guarded().ca)}`): Evidence {
      vi.stubEnv('ICECORE_KAFKA_USER', guarded().user);
      vi.stubEnv('ICECORE_KAFKA_PASSWORD', password);
      return new Evidence({ brokers: [guarded().broker] }, `tls=true${ca}&login=${mechanism}`);
    }

    it.each(loginMechanisms)('accepts a login: %s', async (mechanism) => {
      const log = await enter(guarded().password, mechanism).make();
      const written = await write(log, streamNumber(0), 10);
      expect(await lastDigest(log, streamNumber(0))).toBe(written.digests.at(-1));
    });

    it.each(loginMechanisms)('refuses access without a login, immediately and with advice: %s', async (mechanism) => {
      const remedy = expect.stringContaining('ICECORE_KAFKA_PASSWORD');
      await expect(enter('babbage', mechanism).make()).rejects.toMatchObject({ name: 'ServerRefused', remedy });
    });

    it('is not trusted without a trusted certificate', async () => {
      await expect(enter(guarded().password, 'plain', '').make()).rejects.toMatchObject({
        name: 'ServerUntrusted',
        remedy: expect.stringContaining('ca=FILE'),
      });
    });
  });
});
