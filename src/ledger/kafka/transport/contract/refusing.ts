// What cannot be had, and how that is said.
import { describe, expect, it } from 'vitest';
import type { Transport } from '../transport.ts';
import { atOnce, forever, record, records, type TransportBench } from './bench.ts';

export function refusing(bench: () => TransportBench): void {
  /** Whatever needs a topic. */
  const uses: readonly [string, (transport: Transport, topic: string) => Promise<unknown>][] = [
    ['ends', (transport, topic) => transport.ends(topic)],
    ['fetch', (transport, topic) => transport.fetch(topic, 0, 0, atOnce)],
    ['produce', (transport, topic) => transport.produce(topic, 0, records(1))],
    ['join', (transport, topic) => transport.join(topic, [topic])],
  ];

  describe('a topic that is not there', () => {
    it.each(uses)('is missed: %s', async (_, use) => {
      const topic = bench().name();
      const missing = { name: 'TopicMissing', kind: 'not-found', facts: { topic } };
      await expect(use(bench().open(), topic)).rejects.toMatchObject(missing);
    });

    it('is missed also where it was once', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(1));
      await bench().open().remove([topic]);
      await expect(transport.produce(topic, 0, records(1))).rejects.toMatchObject({ name: 'TopicMissing' });
      await expect(transport.fetch(topic, 0, 0, atOnce)).rejects.toMatchObject({ name: 'TopicMissing' });
    });
  });

  describe('offsets that are not there', () => {
    it.each([
      ['removed', 2],
      ['not there yet', 6],
    ])('are missed: %s', async (_, from) => {
      const transport = bench().open();
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(5));
      await bench().raw.deleteBefore(topic, 3);
      const gone = { name: 'OffsetsGone', kind: 'damaged', facts: { topic, partition: 0, from } };
      await expect(transport.fetch(topic, 0, from, atOnce)).rejects.toMatchObject(gone);
      expect((await transport.fetch(topic, 0, 3, atOnce)).records).toHaveLength(2);
    });
  });

  describe('a broker that is not there', () => {
    // Nobody listens on port 1.
    const brokers = ['127.0.0.1:1'];
    const alone: typeof uses = [
      ['describe', (transport, topic) => transport.describe([topic])],
      ['create', (transport, name) => transport.create([{ name, partitions: 1, replicas: -1, settings: {} }])],
      ['remove', (transport, topic) => transport.remove([topic])],
      ...uses,
    ];

    it.each(alone)('is waited for as long as there is patience: %s', async (_, use) => {
      const transport = bench().open({ brokers, patienceMs: 200 });
      const away = { name: 'KafkaAway', kind: 'unavailable', message: expect.stringContaining('127.0.0.1:1') };
      await expect(use(transport, 'topic')).rejects.toMatchObject(away);
    });

    it('does not matter where another is', async () => {
      const transport = bench().open({ brokers: [...brokers, ...bench().kafka.brokers] });
      for (const _ of [1, 2, 3, 4]) expect(await transport.describe(['contract-nowhere'])).toEqual([null]);
    });
  });

  describe('a closed transport', () => {
    it('refuses what waits, and all that comes', async () => {
      const topic = await bench().topic();
      const transport = bench().open();
      const waiting = transport.fetch(topic, 0, 0, { ...atOnce, maxWaitMs: forever });
      const refused = expect(waiting).rejects.toMatchObject({ name: 'TransportClosed' });
      await transport.fetch(topic, 0, 0, atOnce);
      await transport.close();
      await refused;
      for (const [, use] of uses)
        await expect(use(transport, topic)).rejects.toMatchObject({ name: 'TransportClosed' });
      await transport.close();
    });

    it('gives up what it was waiting for a broker with', async () => {
      const transport = bench().open({ brokers: ['127.0.0.1:1'], patienceMs: forever });
      const refused = expect(transport.ends('topic')).rejects.toMatchObject({ name: 'TransportClosed' });
      await transport.close();
      await refused;
    });
  });

  describe('a batch in a codec that nothing here knows', () => {
    it.each(['snappy', 'lz4'])('is passed by, and named: %s', async (codec) => {
      const transport = bench().open();
      // The broker packs anew what comes in another form.
      const topic = await bench().topic({ 'compression.type': codec });
      await transport.produce(topic, 0, records(100));
      const found = await transport.fetch(topic, 0, 40, atOnce);
      expect(found).toMatchObject({ records: [], next: 100, end: 100 });
      expect(found.unreadable).toEqual([{ first: 40, count: 60, why: `its batch is compressed with ${codec}` }]);
    });
  });

  describe('a time that a topic does not take', () => {
    it('is refused, with the setting to change', async () => {
      const transport = bench().open();
      const topic = await bench().topic({ 'message.timestamp.after.max.ms': '1000' });
      const ahead = record('ahead', { timestamp: Date.now() + 3_600_000 });
      const remedy = expect.stringMatching(/--add-config message\.timestamp\.after\.max\.ms=9223372036854775807,/);
      const refused = { name: 'TimeRefused', facts: { topic }, remedy };
      await expect(transport.produce(topic, 0, [ahead])).rejects.toMatchObject(refused);
      expect(await transport.produce(topic, 0, [record('now', { timestamp: Date.now() })])).toBe(0);
    });
  });
}
