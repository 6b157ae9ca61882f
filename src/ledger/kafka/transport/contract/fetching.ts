// Records: read from any offset on, waited for where there are none yet.
import { CompressionTypes } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { compressions } from '../transport.ts';
import { atOnce, forever, offsetsOf, range, readOn, record, records, type TransportBench, valuesOf } from './bench.ts';

export function fetching(bench: () => TransportBench): void {
  describe('fetching', () => {
    it.each(compressions)('begins in the midst of a batch: %s', async (compression) => {
      const transport = bench().open({ compression });
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(10));
      await transport.produce(topic, 0, records(10, 10));
      const { records: found, next, end } = await transport.fetch(topic, 0, 7, atOnce);
      expect(offsetsOf(found)).toEqual(range(7, 20));
      expect({ next, end }).toEqual({ next: 20, end: 20 });
    });

    it('gives about as much as is asked for, and goes on behind it', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      for (const first of range(0, 10)) await transport.produce(topic, 0, records(10, 10 * first, '.'.repeat(90)));
      const { records: found, answers } = await readOn(transport, topic, 5, 3_000);
      expect(offsetsOf(found)).toEqual(range(5, 100));
      expect(answers.length).toBeGreaterThan(2);
    });

    it('gives a batch that is larger than what is asked for whole', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(100, 0, '.'.repeat(1_000)));
      const { records: found, next } = await transport.fetch(topic, 0, 0, { ...atOnce, maxBytes: 10 });
      expect(offsetsOf(found)).toEqual(range(0, 100));
      expect(next).toBe(100);
    });

    it('waits at the end as long as it may, and stays there', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      expect(await transport.fetch(topic, 0, 0, atOnce)).toMatchObject({ records: [], next: 0, end: 0, written: 0 });
      await transport.produce(topic, 0, records(3));
      expect(await transport.fetch(topic, 0, 3, atOnce)).toMatchObject({ records: [], next: 3, end: 3, written: 3 });
    });

    it('waits no longer when something comes, however much else goes on meanwhile', async () => {
      const transport = bench().open();
      const topic = await bench().topic({}, 3);
      await transport.produce(topic, 0, records(6));
      const waiting = [0, 1, 2].map((partition) =>
        transport.fetch(topic, partition, partition === 0 ? 6 : 0, { ...atOnce, maxWaitMs: forever }),
      );
      const reading = [0, 2, 4].map((from) => transport.fetch(topic, 0, from, atOnce));
      expect((await Promise.all(reading)).map(({ records: found }) => found.length)).toEqual([6, 4, 2]);
      expect(await transport.ends(topic)).toHaveLength(3);
      for (const partition of [2, 1, 0]) {
        await transport.produce(topic, partition, records(1, partition));
        expect(valuesOf((await waiting[partition])?.records ?? [])).toEqual([`${partition}`]);
      }
    });

    it('stops waiting when it is told to', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const stop = new AbortController();
      const waiting = transport.fetch(topic, 0, 0, { ...atOnce, maxWaitMs: forever, signal: stop.signal });
      // Another answer shows that the request has had its time to leave.
      await transport.fetch(topic, 0, 0, atOnce);
      stop.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await expect(transport.fetch(topic, 0, 0, { ...atOnce, signal: stop.signal })).rejects.toThrow('enough');
      await transport.produce(topic, 0, records(1));
      expect((await transport.fetch(topic, 0, 0, atOnce)).records).toHaveLength(1);
    });

    it('finds what others wrote: no key, no value, names of headers twice, all in one batch or in many', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const headers = { twice: ['first', 'last'], once: 'only' };
      await bench().raw.send(topic, [{ key: null, value: null, headers }, { value: 'keyless' }], CompressionTypes.GZIP);
      await bench().raw.send(topic, [{ key: 'key', value: Buffer.from([0xff, 0]) }]);
      const { records: found } = await readOn(transport, topic);
      expect(found.map(({ key }) => key?.toString() ?? null)).toEqual([null, null, 'key']);
      expect(found.map(({ value }) => value)).toEqual([null, Buffer.from('keyless'), Buffer.from([0xff, 0])]);
      expect(new Map(found[0]?.headers)).toEqual(new Map([...map({ twice: 'last', once: 'only' })]));
      expect(found[0]?.headers.ascii('twice')).toBe('last');
      expect(found[0]?.headers.ascii('never')).toBeUndefined();
    });

    it('tells the time of arrival where the topic says so', async () => {
      const transport = bench().open();
      const topic = await bench().topic({ 'message.timestamp.type': 'LogAppendTime' });
      const before = Date.now();
      await transport.produce(topic, 0, [record('late', { timestamp: 0 }), record('later', { timestamp: 1 })]);
      const [one, other] = (await readOn(transport, topic)).records;
      // The broker's clock need not be ours.
      expect(one?.timestamp).toBeGreaterThan(before - 60_000);
      expect(other?.timestamp).toBe(one?.timestamp);
    });
  });
}

function map(texts: Readonly<Record<string, string>>): Map<string, Buffer> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
}
