// Brokers and networks that fail: what passes is waited out, nothing is stored twice, and what is not known is not claimed.
import { describe, expect, it } from 'vitest';
import type { OwnBrokers } from '../../testing/broker.ts';
import type { KafkaProxy } from '../../testing/proxy.ts';
import { atOnce, forever, range, readOn, records, type TransportBench, valuesOf } from './bench.ts';

export function disturbed(bench: () => TransportBench): void {
  describe.skipIf(process.env['ICECORE_TEST_KAFKA'])('where something fails', () => {
    const own = (): OwnBrokers => {
      const brokers = bench().kafka.own;
      if (brokers === null) throw new Error('not brokers of our own');
      return brokers;
    };
    const behindProxy = async (use: (proxy: KafkaProxy) => Promise<void>): Promise<void> => {
      const proxy = await own().proxy(0);
      try {
        await use(proxy);
      } finally {
        await bench().closeTransports();
        await proxy.close();
      }
    };

    it.each(['request', 'answer'] as const)(
      'a batch is stored once when its %s is lost, and the next behind it',
      (lost) =>
        behindProxy(async (proxy) => {
          const transport = bench().open({ brokers: [proxy.address] });
          const topic = await bench().topic();
          await transport.produce(topic, 0, records(3));
          const cut = proxy.cutAt(lost, 'produce');
          const calls = [1, 2, 3].map((index) => transport.produce(topic, 0, records(3, 3 * index)));
          await cut;
          expect(await Promise.all(calls)).toEqual([3, 6, 9]);
          expect(valuesOf((await readOn(transport, topic)).records)).toEqual(range(0, 12).map(String));
        }),
    );

    it.each(['request', 'answer'] as const)('a read goes on when its %s is lost', (lost) =>
      behindProxy(async (proxy) => {
        const transport = bench().open({ brokers: [proxy.address] });
        const topic = await bench().topic();
        await transport.produce(topic, 0, records(3));
        const cut = proxy.cutAt(lost, 'fetch');
        expect((await transport.fetch(topic, 0, 0, atOnce)).records).toHaveLength(3);
        await cut;
      }),
    );

    it('a batch whose answer does not come is said to be unknown, and is not taken for the next one', () =>
      behindProxy(async (proxy) => {
        const transport = bench().open({ brokers: [proxy.address], patienceMs: 1_000 });
        const topic = await bench().topic();
        await transport.produce(topic, 0, records(3));
        proxy.refuse();
        const cut = proxy.cutAt('answer', 'produce');
        const calls = Promise.allSettled([3, 6].map((first) => transport.produce(topic, 0, records(3, first))));
        await cut;
        const unknown = { name: 'OutcomeUnknown', kind: 'unavailable', facts: { topic, partition: 0 } };
        expect(await calls).toMatchObject([{ reason: unknown }, { status: 'rejected' }]);
        await proxy.admit();
        expect(await transport.produce(topic, 0, records(3, 9))).toBe(6);
        expect(valuesOf((await readOn(transport, topic)).records).map(Number)).toEqual([
          ...range(0, 6),
          ...range(9, 12),
        ]);
      }));

    it('a broker that goes silent is given up, and used again when it is back', () =>
      behindProxy(async (proxy) => {
        const transport = bench().open({ brokers: [proxy.address], patienceMs: 1_000 });
        const topic = await bench().topic();
        await transport.produce(topic, 0, records(3));
        proxy.silence();
        await expect(transport.produce(topic, 0, records(1))).rejects.toMatchObject({ name: 'OutcomeUnknown' });
        await expect(transport.fetch(topic, 0, 0, atOnce)).rejects.toMatchObject({ name: 'KafkaAway' });
        proxy.flow();
        expect((await transport.fetch(topic, 0, 0, atOnce)).records.length).toBeGreaterThanOrEqual(3);
      }));

    it('a broker that is killed and comes back is waited for, and has what it acknowledged', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(3));
      const waiting = transport.fetch(topic, 0, 3, { ...atOnce, maxWaitMs: forever });
      await own().kill(0);
      const calls = [1, 2].map((index) => transport.produce(topic, 0, records(3, 3 * index)));
      await own().restart(0);
      expect(await Promise.all(calls)).toEqual([3, 6]);
      expect(valuesOf((await waiting).records).slice(0, 3)).toEqual(['3', '4', '5']);
      expect(valuesOf((await readOn(transport, topic)).records)).toEqual(range(0, 9).map(String));
    });
  });
}
