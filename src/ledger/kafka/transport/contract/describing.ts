// Topics: made, described, removed.
import { describe, expect, it } from 'vitest';
import { records, type TransportBench } from './bench.ts';

export function describing(bench: () => TransportBench): void {
  describe('topics', () => {
    it('are described with what was wanted of them and what they inherit', async () => {
      const transport = bench().open();
      const name = bench().name();
      await transport.create([{ name, partitions: 3, replicas: 1, settings: { 'retention.ms': '-1' } }]);
      const [found] = await transport.describe([name]);
      expect(found).toMatchObject({ name, partitions: 3, replicas: 1 });
      expect(found?.settings.get('retention.ms')).toBe('-1');
      expect(found?.settings.get('cleanup.policy')).toBe('delete');
    });

    it('have as many replicas as the broker’s own setting says, where none are named', async () => {
      const [found] = await bench()
        .open()
        .describe([await bench().topic()]);
      expect(found?.replicas).toBeGreaterThanOrEqual(1);
    });

    it('are described in the order they are asked for, null for one that is not there', async () => {
      const [one, other] = [await bench().topic(), await bench().topic()];
      const found = await bench().open().describe([other, bench().name(), one]);
      expect(found.map((each) => each?.name ?? null)).toEqual([other, null, one]);
    });

    it('may be none', async () => {
      const transport = bench().open();
      expect(await transport.describe([])).toEqual([]);
      await transport.create([]);
      await transport.remove([]);
    });

    it('can be written to when they are made', async () => {
      const transport = bench().open();
      const name = bench().name();
      await transport.create([{ name, partitions: 2, replicas: -1, settings: {} }]);
      expect(await transport.produce(name, 1, records(1))).toBe(0);
    });

    it('that are there are left as they are, and the others made', async () => {
      const transport = bench().open();
      const [old, young] = [await bench().topic(), bench().name()];
      const wanted = (name: string) => ({ name, partitions: 4, replicas: -1, settings: {} });
      await transport.create([wanted(old), wanted(young)]);
      const found = await transport.describe([old, young]);
      expect(found.map((each) => each?.partitions)).toEqual([1, 4]);
    });

    it('are gone when they are removed, and may have been gone before', async () => {
      const transport = bench().open();
      const name = await bench().topic();
      await transport.produce(name, 0, records(1));
      await transport.remove([name, bench().name()]);
      expect(await transport.describe([name])).toEqual([null]);
    });

    it('are new when they are made again', async () => {
      const transport = bench().open();
      const name = await bench().topic();
      await transport.produce(name, 0, records(3));
      await transport.remove([name]);
      await transport.create([{ name, partitions: 1, replicas: -1, settings: {} }]);
      expect(await transport.ends(name)).toEqual([{ partition: 0, start: 0, end: 0 }]);
      expect(await transport.produce(name, 0, records(1))).toBe(0);
    });

    it('begin and end, partition by partition', async () => {
      const transport = bench().open();
      const name = await bench().topic({}, 3);
      await transport.produce(name, 0, records(5));
      await transport.produce(name, 2, records(2));
      await bench().raw.deleteBefore(name, 3);
      expect(await transport.ends(name)).toEqual([
        { partition: 0, start: 3, end: 5 },
        { partition: 1, start: 0, end: 0 },
        { partition: 2, start: 0, end: 2 },
      ]);
    });

    it('are made without what their broker does not know, where that is only wished for', async () => {
      const transport = bench().open();
      const wanted = { name: bench().name(), partitions: 1, replicas: -1, settings: { 'retention.ms': '-1' } };
      const known = { ...wanted, name: bench().name(), wished: { 'segment.ms': '86400000' } };
      await transport.create([{ ...wanted, wished: { 'no.such.setting': '1' } }]);
      await transport.create([known]);
      const [without, withIt] = await transport.describe([wanted.name, known.name]);
      expect(without?.settings.get('retention.ms')).toBe('-1');
      expect(withIt?.settings.get('segment.ms')).toBe('86400000');
    });

    it('whose settings make no sense are not made', async () => {
      const wanted = { name: bench().name(), partitions: 1, replicas: -1, settings: { 'retention.ms': 'long' } };
      await expect(bench().open().create([wanted])).rejects.toMatchObject({ name: 'KafkaRejected', kind: 'storage' });
    });
  });
}
