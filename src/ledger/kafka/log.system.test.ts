// Evidence in a real Kafka: written, and read by other sessions, next to other records in the same topics.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Message } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from '../remote/log.ts';
import type { KafkaLog } from './log.ts';
import { parseKafkaUrl } from './place.ts';
import { Reader } from './reader.ts';
import { openKafka } from './store.ts';
import { type Kafka, startKafka, whyNoKafka } from './testing/broker.ts';
import {
  closeLogs,
  digestsByStream,
  digestsOf,
  Evidence,
  endless,
  eventsOf,
  readBack,
  streamNumber,
  type Written,
  warmUp,
  write,
} from './testing/evidence.ts';

const why = whyNoKafka();
const foreigners = 200_000;

/** Counts the records that readers receive, including those that nobody asked for. */
function countFetched(): () => number {
  let fetched = 0;
  const { fetch } = Reader.prototype;
  vi.spyOn(Reader.prototype, 'fetch').mockImplementation(async function (this: Reader, ...of) {
    const answer = await fetch.apply(this, of);
    for (const { messages } of answer.responses.flatMap(({ partitions }) => partitions)) fetched += messages.length;
    return answer;
  });
  return () => fetched;
}

describe.skipIf(why !== null)(`Evidence in Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
    await warmUp(kafka);
  });
  afterEach(closeLogs);
  afterAll(() => kafka?.stop());

  async function followed(log: KafkaLog, after: string | null = null): Promise<Page[]> {
    const pages: Page[] = [];
    for await (const page of log.follow({ after, live: false }, endless)) pages.push(page);
    return pages;
  }

  it('is read attempt by attempt, in the requested order, even if other writers wrote between its records', async () => {
    const evidence = new Evidence(kafka, 'partitions=2');
    const log = await evidence.make();
    // Six concurrent writers, so that their records are interleaved.
    const written = await Promise.all([0, 1, 2, 3, 4, 5].map((one) => write(log, streamNumber(one), 700 + one, 100)));
    const other = await evidence.open();
    const asked = written.toReversed();
    expect([...(await readBack(other, asked))]).toEqual([...digestsByStream(asked)]);
    for (const { stream, digests } of written) {
      expect(await digestsOf(other.readStream(stream, { from: 0 }, endless))).toEqual(digests);
    }
    const [{ stream, digests }] = written as [Written];
    const some = { from: 100, to: 500 };
    expect(await digestsOf(other.readStream(stream, { ...some, limit: 7 }, endless))).toEqual(digests.slice(100, 107));
    const part = { ...written[0], ...some } as Written;
    expect((await readBack(other, [part])).get(stream)).toEqual(digests.slice(100, 501));
    expect(await digestsOf(other.readStream(streamNumber(99), { from: 0 }, endless))).toEqual([]);
    expect(await other.streams('evidence-', endless)).toMatchObject(
      written.map((one) => ({ stream: one.stream, revision: one.count - 1 })),
    );
  });

  it('is continued by its session only at its end, and by another session after a scan', async () => {
    const evidence = new Evidence(kafka, 'partitions=3');
    const log = await evidence.make();
    const stream = streamNumber(0);
    const [first, wrong] = [eventsOf(stream, 0, 3), eventsOf(stream, 4, 1)];
    expect(await log.append(stream, first, { isNew: true, signal: endless })).toMatchObject({ kind: 'appended' });
    const refusal = { kind: 'wrong-end', revision: 2 };
    expect(await log.append(stream, wrong, { isNew: true, signal: endless })).toEqual(refusal);
    const other = await evidence.open();
    expect(await other.append(stream, wrong, { isNew: false, signal: endless })).toEqual(refusal);
    const next = eventsOf(stream, 3, 2);
    const appended = await other.append(stream, next, { isNew: false, signal: endless });
    expect(appended).toMatchObject({ kind: 'appended', place: { from: 0, to: 4 } });
    const { position } = await other.head();
    expect((await followed(other, position)).flatMap(({ events }) => events)).toEqual([]);
    const digests = [...first, ...next].map(({ digest }) => digest);
    expect(await digestsOf((await evidence.open()).readStream(stream, { from: 0 }, endless))).toEqual(digests);
    await expect(other.append('run-x', next, { isNew: true, signal: endless })).rejects.toThrow(/evidence only/);
  });

  it('is read by fetching only its ranges among 200,000 events of others', { timeout: 120_000 }, async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    const written: Written[] = [];
    for (let part = 0; part < 4; part++) {
      written.push(await write(log, streamNumber(part), 300));
      for (let sent = 0; sent < foreigners / 4; sent += 10_000) {
        const noise = (_: unknown, index: number): Message => ({ key: 'others', value: `${index} `.repeat(40) });
        await evidence.send(Array.from({ length: 10_000 }, noise));
      }
    }
    const fetched = countFetched();
    const other = await evidence.open();
    const before = fetched();
    expect([...(await readBack(other, written))]).toEqual([...digestsByStream(written)]);
    // A range is fetched with the records after it in the same answer of the broker: at most 256 KiB.
    expect(fetched() - before).toBeGreaterThanOrEqual(written.length * 300);
    expect(fetched() - before).toBeLessThan(foreigners / 4);
    vi.restoreAllMocks();
  });

  it('does not depend on the clocks of its writers', async () => {
    const evidence = new Evidence(kafka);
    const [one, two] = [await evidence.make(), await evidence.open()];
    const now = Date.now();
    const digests: string[][] = [[], []];
    for (let from = 0; from < 30; from += 10) {
      for (const [index, [log, ahead]] of (
        [
          [one, 2_000],
          [two, 0],
        ] as const
      ).entries()) {
        const events = eventsOf(streamNumber(index), from, 10).map((event) => ({
          ...event,
          recordedMs: now + ahead + from,
        }));
        await log.append(streamNumber(index), events, { isNew: true, signal: endless });
        digests[index]?.push(...events.map(({ digest }) => digest));
      }
    }
    const pages = await followed(await evidence.open());
    for (const [index, ahead] of [2_000, 0].entries()) {
      const own = pages.flatMap(({ events }) => events).filter(({ stream }) => stream === streamNumber(index));
      expect(own.map(({ digest }) => digest)).toEqual(digests[index]);
      expect(new Set(own.map(({ recordedMs }) => recordedMs - now - ahead))).toEqual(new Set([0, 10, 20]));
    }
    expect(pages.at(-1)?.isCaughtUp).toBe(true);
  });

  it('skips records of others, and reports where they are', async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    const stream = streamNumber(0);
    const own = await write(log, stream, 5);
    const [good] = evidence.messages(streamNumber(1), 0, 1) as [Message];
    await evidence.send([
      { ...good, value: '{"number":17}' },
      { ...good, value: null },
      { ...good, key: 'nobody' },
      { ...good, headers: {} },
      { key: null, value: 'hello' },
      good,
    ]);
    const reader = await evidence.open();
    const pages = await followed(reader);
    expect(pages.flatMap(({ events }) => events).map(({ stream: of, revision }) => `${of} ${revision}`)).toEqual([
      ...own.digests.map((_, revision) => `${stream} ${revision}`),
      `${streamNumber(1)} 0`,
    ]);
    expect(pages.flatMap(({ foreign = [] }) => foreign)).toEqual(
      [/SHA-256 does not match/, /no value/, /no evidence stream/, /not a UUID/, /no evidence stream/].map(
        (text, index) => {
          return { where: `${evidence.events}/0@${5 + index}`, what: expect.stringMatching(text) };
        },
      ),
    );
    expect(await digestsOf(reader.readStream(streamNumber(1), { from: 0 }, endless))).toHaveLength(1);
  });

  it('counts repeated records once, and the first of two with the same revision', async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    const stream = streamNumber(0);
    const first = await write(log, stream, 20);
    await evidence.send([
      ...evidence.messages(stream, 10, 10),
      ...evidence.messages(stream, 5, 3, { forged: true }),
      ...evidence.messages(stream, 30, 3),
    ]);
    const more = eventsOf(stream, 20, 5);
    const appended = await log.append(stream, more, { isNew: false, signal: endless });
    expect(appended).toMatchObject({ place: { from: 0, to: 40 } });
    const digests = [...first.digests, ...more.map(({ digest }) => digest)];
    const other = await evidence.open();
    const place = { partition: 0, from: 0, to: 40 };
    expect((await readBack(other, [{ stream, from: 0, to: 24, count: 25, place }])).get(stream)).toEqual(digests);
    expect(await digestsOf(other.readStream(stream, { from: 0 }, endless))).toEqual(digests);
    const pages = await followed(other);
    expect(pages.flatMap(({ events }) => events).map(({ digest }) => digest)).toEqual(digests);
    expect(pages.flatMap(({ foreign = [] }) => foreign).map(({ what }) => what)).toEqual(
      [30, 31, 32].map((revision) => `events of ${stream} before revision ${revision} are missing`),
    );
  });

  it('is found if its place is wrong or unknown', async () => {
    const evidence = new Evidence(kafka, 'partitions=3');
    const log = await evidence.make();
    const written = await Promise.all([0, 1, 2].map((attempt) => write(log, streamNumber(attempt), 50)));
    const [one] = written as [Written];
    const { partition, from, to } = one.place;
    const places = [
      undefined,
      { partition, from: from + 1, to },
      { partition, from, to: to - 1 },
      { partition: (partition + 1) % 3, from, to },
      { partition, from: from + 1_000, to: to + 1_000 },
      { partition: 17, from, to },
    ];
    for (const place of places) {
      const other = await evidence.open();
      const attempts = written.map((attempt) => (attempt === one ? { ...attempt, place } : attempt));
      expect([...(await readBack(other, attempts))]).toEqual([...digestsByStream(written)]);
    }
    await expect(readBack(log, [{ ...one, to: 50, count: 51 }])).rejects.toMatchObject({
      name: 'EvidenceMissing',
      facts: { stream: one.stream, count: 51, found: 50 },
    });
    await expect(readBack(log, [{ ...one, stream: streamNumber(9) }])).rejects.toMatchObject({
      name: 'EvidenceMissing',
      facts: { found: 0 },
    });
  });

  it('is reported as missing, and not silently omitted, if its records were removed', async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    const [gone, there] = [await write(log, streamNumber(0), 30), await write(log, streamNumber(1), 30)];
    const begun = await followed(log);
    expect(begun.flatMap(({ events }) => events)).toHaveLength(60);
    await evidence.removeBefore(20);
    const other = await evidence.open();
    expect((await readBack(other, [there])).get(there.stream)).toEqual(there.digests);
    const missing = { name: 'EvidenceMissing', kind: 'damaged' };
    await expect(readBack(other, [gone])).rejects.toMatchObject(missing);
    await expect(digestsOf(other.readStream(gone.stream, { from: 0 }, endless))).rejects.toMatchObject(missing);
    const facts = { partition: 0, offset: 10, low: 20 };
    await expect(followed(other, '10')).rejects.toMatchObject({ ...missing, facts: expect.objectContaining(facts) });
    await expect(followed(other, '61')).rejects.toMatchObject(missing);
    const faults: unknown[] = [];
    for await (const fault of other.faults()) faults.push(fault);
    expect(faults).toEqual([{ where: `${evidence.events}/0`, what: expect.stringContaining('begins at offset 20') }]);
  });

  it('is followed from any position, past transactions of others, including open ones', async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    await write(log, streamNumber(0), 10);
    const settings = { transactionalId: evidence.prefix, idempotent: true, maxInFlightRequests: 1 };
    const producer = evidence.kafka.producer(settings);
    await producer.connect();
    const foreign = { topic: evidence.events, messages: [{ value: 'x' }] };
    for (const end of ['abort', 'commit'] as const) {
      const transaction = await producer.transaction();
      await transaction.send(foreign);
      await transaction[end]();
    }
    const pages = await followed(await evidence.open());
    expect(pages.at(-1)).toMatchObject({ position: '14', isCaughtUp: true });
    const open = await producer.transaction();
    await open.send(foreign);
    const stopping = new AbortController();
    const seen: number[] = [];
    const caughtUp: string[] = [];
    const following = (await evidence.open()).follow({ after: '5', live: true }, stopping.signal);
    for await (const { events, isCaughtUp, position } of following) {
      seen.push(...events.map(({ revision }) => revision));
      if (!isCaughtUp) continue;
      caughtUp.push(position);
      if (caughtUp.length === 1)
        await log.append(streamNumber(0), eventsOf(streamNumber(0), 10, 2), { isNew: false, signal: endless });
      if (seen.includes(11)) break;
    }
    expect(seen).toEqual([5, 6, 7, 8, 9, 10, 11]);
    expect(caughtUp).toEqual(['15', '17']);
    await open.abort();
    await producer.disconnect();
    // The broker writes the commit marker after it has answered the producer.
    for await (const { position, isCaughtUp } of log.follow({ after: '17', live: true }, endless)) {
      if (isCaughtUp && position === '18') break;
    }
  });

  it('is found and followed after partitions were added', async () => {
    const evidence = new Evidence(kafka, 'partitions=1');
    const log = await evidence.make();
    const before = await Promise.all([0, 1, 2, 3].map((attempt) => write(log, streamNumber(attempt), 10)));
    await evidence.administer((admin) =>
      admin.createPartitions({ topicPartitions: [{ topic: evidence.events, count: 4 }] }),
    );
    const other = await evidence.open();
    const after = await Promise.all([4, 5, 6, 7].map((attempt) => write(other, streamNumber(attempt), 10)));
    expect(new Set(after.map(({ place }) => place.partition)).size).toBeGreaterThan(1);
    const third = await evidence.open();
    for (const { stream, digests } of [...before, ...after]) {
      expect(await digestsOf(third.readStream(stream, { from: 0 }, endless))).toEqual(digests);
    }
    expect((await followed(log, '20')).flatMap(({ events }) => events)).toHaveLength(60);
  });

  it('is followed live into partitions that are added', async () => {
    const evidence = new Evidence(kafka, 'partitions=1');
    await (await evidence.make()).close();
    const ledger = await openKafka({ url: evidence.url, place: parseKafkaUrl(evidence.url) }, { readOnly: true });
    const seen: string[] = [];
    for await (const delivery of ledger.subscribe()) {
      if (delivery.kind === 'events') seen.push(...delivery.events.map(({ stream }) => stream));
      else if (seen.length === 0) {
        await evidence.administer((admin) =>
          admin.createPartitions({ topicPartitions: [{ topic: evidence.events, count: 4 }] }),
        );
        const log = await evidence.open();
        for (const attempt of [0, 1, 2, 3, 4, 5]) await write(log, streamNumber(attempt), 1);
      }
      if (seen.length === 6) break;
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4, 5].map(streamNumber));
    await ledger.close();
  });

  it('publishes what is sealed, and remembers its progress', async () => {
    const evidence = new Evidence(kafka, 'partitions=2');
    const log = await evidence.make();
    const where = `${evidence.prefix}.sealed`;
    expect(await log.readPublished(endless)).toEqual({ where, upTo: null, attempts: new Map() });
    const written = await Promise.all([0, 1].map((attempt) => write(log, streamNumber(attempt), 10)));
    const seal = { stream: 'run-0test0test00', revision: 4, id: '00000000-0000-8000-8000-000000000004' };
    const sealed = written.map(({ stream, count, place }) => ({ stream, count, place, root: 'f'.repeat(64), seal }));
    await log.publishSealed(sealed, 'ledger@4');
    await log.publishSealed([], 'ledger@5');
    const messages = [
      { key: streamNumber(1), value: null },
      { key: streamNumber(2), value: 'nonsense' },
      { key: 'icecore.newer', value: '{}' },
    ];
    await evidence.send(messages, where);
    const attempts = new Map([
      [streamNumber(0), JSON.stringify(sealed[0])],
      [streamNumber(2), 'nonsense'],
    ]);
    expect(await (await evidence.open()).readPublished(endless)).toEqual({ where, upTo: 'ledger@5', attempts });
  });

  it('is one ledger, even if several processes create it at the same time', async () => {
    const evidence = new Evidence(kafka);
    await expect(evidence.open()).rejects.toMatchObject({ name: 'LedgerMissing' });
    const made = await Promise.all([evidence.make(), evidence.make(), evidence.open({ create: true, createAs: 'x' })]);
    const [first] = made;
    const another = await evidence.open({ create: true, createAs: 'y' });
    for (const { ledger, part } of [...made, another]) expect([ledger, part]).toEqual([first.ledger, first.part]);
  });

  it('is not a ledger if the topics belong to another program', async () => {
    const evidence = new Evidence(kafka);
    await evidence.administer((admin) => {
      return admin.createTopics({
        topics: ['events', 'sealed', 'ledger'].map((end) => ({ topic: `${evidence.prefix}.${end}` })),
      });
    });
    await expect(evidence.open()).rejects.toMatchObject({ name: 'LedgerMissing' });
    await evidence.send([{ value: '{"format":1}' }], `${evidence.prefix}.ledger`);
    await expect(evidence.open({ create: true })).rejects.toMatchObject({ name: 'NotALedger' });
  });

  it('is not opened if its topic would lose records', async () => {
    const evidence = new Evidence(kafka);
    await (await evidence.make()).close();
    await evidence.administer((admin) => {
      const configEntries = [{ name: 'retention.ms', value: '60000' }];
      return admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name: evidence.events, configEntries }],
      });
    });
    await expect(evidence.open()).rejects.toMatchObject({
      name: 'WouldLoseHistory',
      remedy: expect.stringContaining('retention.ms=-1'),
    });
  });

  it('supports nested reads, and leaves no consumer group behind', async () => {
    const evidence = new Evidence(kafka);
    const log = await evidence.make();
    const written = await Promise.all([0, 1].map((attempt) => write(log, streamNumber(attempt), 100)));
    for await (const _ of log.readAttempts(written, endless)) {
      for (const { stream, digests } of written) {
        expect(await digestsOf(log.readStream(stream, { from: 0 }, endless))).toEqual(digests);
      }
    }
    await log.close();
    const { groups } = await evidence.administer((admin) => admin.listGroups());
    expect(groups.filter(({ groupId }) => groupId.startsWith(evidence.prefix))).toEqual([]);
  });

  it('prints nothing on the terminal', async () => {
    const evidence = new Evidence(kafka);
    const program = `
      const { openKafka } = await import(${JSON.stringify(fileURLToPath(new URL('./store.ts', import.meta.url)))});
      const { parseKafkaUrl } = await import(${JSON.stringify(fileURLToPath(new URL('./place.ts', import.meta.url)))});
      const url = ${JSON.stringify(evidence.url)};
      await (await openKafka({ url, place: parseKafkaUrl(url) }, { create: true })).close();
      const away = 'kafka://127.0.0.1:9/lab?patience=1';
      await openKafka({ url: away, place: parseKafkaUrl(away) }, {}).catch(({ name }) => console.log(name));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: 'ServerAway', stderr: '' });
  });
});
