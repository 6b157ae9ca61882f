// Batches: appended whole, in the order of the calls, and as they were given.
import { describe, expect, it } from 'vitest';
import { compressions, type OutgoingRecord } from '../transport.ts';
import { offsetsOf, range, readOn, record, records, type TransportBench, valuesOf } from './bench.ts';

export function appending(bench: () => TransportBench): void {
  describe('appending', () => {
    it('tells the offset of the first record', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      expect(await transport.produce(topic, 0, records(3))).toBe(0);
      expect(await transport.produce(topic, 0, records(2))).toBe(3);
      expect(await transport.ends(topic)).toMatchObject([{ end: 5 }]);
    });

    it('keeps the order of calls that nobody waited for', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const sizes = range(0, 30).map((index) => 1 + ((index * 7) % 11));
      let first = 0;
      const calls = sizes.map((size) => {
        const [from, call] = [first, transport.produce(topic, 0, records(size, first))] as const;
        first += size;
        return { from, call };
      });
      expect(await Promise.all(calls.map(({ call }) => call))).toEqual(calls.map(({ from }) => from));
      const { records: found } = await readOn(transport, topic);
      expect(valuesOf(found)).toEqual(range(0, first).map(String));
    });

    it('goes on in several partitions at once', async () => {
      const transport = bench().open();
      const topic = await bench().topic({}, 4);
      const calls = range(0, 40).map((index) => transport.produce(topic, index % 4, records(1)));
      expect(await Promise.all(calls)).toEqual(range(0, 40).map((index) => Math.floor(index / 4)));
    });

    it.each<[string, Partial<OutgoingRecord>]>([
      ['empty keys and values', { key: '', value: '' }],
      ['long ones', { key: 'k'.repeat(3_000), value: 'v'.repeat(300_000) }],
      [
        'characters of every length',
        { key: 'ключ', value: 'é – 語 – 🧊 '.repeat(9), headers: { ü語: '🧊'.repeat(40) } },
      ],
      ['headers, empty ones too', { headers: { ce_id: 'a', ce_empty: '', '1': 'numbered' } }],
      ['the first millisecond there was', { timestamp: 0 }],
      ['a time long ago', { timestamp: 1 }],
    ])('keeps %s', async (_, others) => {
      const transport = bench().open();
      const topic = await bench().topic();
      const given = record('value', others);
      await transport.produce(topic, 0, [record('before'), given]);
      const found = (await readOn(transport, topic)).records[1];
      expect(found?.key?.toString()).toBe(given.key);
      expect(found?.value?.toString()).toBe(given.value);
      expect(found?.timestamp).toBe(given.timestamp);
      const headers = [...(found?.headers ?? [])].map(([name, value]) => [name, value.toString()]);
      expect(Object.fromEntries(headers)).toEqual(given.headers);
    });

    it('keeps times that are in no order', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const times = [9, 1_767_225_600_000, 10, 0, 1_767_225_600_001, 1_000];
      await transport.produce(
        topic,
        0,
        times.map((timestamp) => record('timed', { timestamp })),
      );
      expect((await readOn(transport, topic)).records.map(({ timestamp }) => timestamp)).toEqual(times);
    });

    it.each(compressions)('compresses: %s', async (compression) => {
      const transport = bench().open({ compression });
      const topic = await bench().topic({ 'max.message.bytes': '100000' });
      const repetitive = records(400, 0, ' and so on'.repeat(50));
      const produced = transport.produce(topic, 0, repetitive);
      // What is limited is what arrives.
      if (compression === 'none') return await expect(produced).rejects.toMatchObject({ name: 'BatchTooLarge' });
      expect(await produced).toBe(0);
      expect(valuesOf((await readOn(transport, topic)).records)).toEqual(repetitive.map(({ value }) => value));
    });

    it('takes large batches', async () => {
      const transport = bench().open();
      const topic = await bench().topic({ 'max.message.bytes': '12000000' });
      const many = records(10_000, 0, '.'.repeat(900));
      const calls = [transport.produce(topic, 0, many), transport.produce(topic, 0, records(1, 10_000))];
      expect(await Promise.all(calls)).toEqual([0, 10_000]);
      const { records: found } = await readOn(transport, topic);
      expect(offsetsOf(found)).toEqual(range(0, 10_001));
      expect(valuesOf(found).map(Number.parseFloat)).toEqual(range(0, 10_001));
    });

    it('stores nothing of a batch that is too large, nor what was called behind it, and goes on afterwards', async () => {
      const transport = bench().open();
      const topic = await bench().topic({ 'max.message.bytes': '10000' });
      const tooLarge = { name: 'BatchTooLarge', kind: 'storage', facts: { topic, bytes: expect.any(Number) } };
      const calls = await Promise.allSettled([
        transport.produce(topic, 0, records(1)),
        transport.produce(topic, 0, records(1, 1, '.'.repeat(20_000))),
        transport.produce(topic, 0, records(1, 2)),
      ]);
      expect(calls).toMatchObject([{ value: 0 }, { reason: tooLarge }, { status: 'rejected' }]);
      expect(await transport.produce(topic, 0, records(1, 3))).toBe(1);
      expect(valuesOf((await readOn(transport, topic)).records)).toEqual(['0', '3']);
    });
  });
}
