// Transactions of others: what they left in a partition is found when they are decided, and passed by when they were undone.
import type { Transaction } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { atOnce, forever, readOn, records, type TransportBench, valuesOf } from './bench.ts';

export function transactions(bench: () => TransportBench): void {
  describe('transactions of others', () => {
    const send = async (transaction: Transaction, topic: string, ...values: string[]): Promise<void> => {
      await transaction.send({ topic, messages: values.map((value) => ({ value })) });
    };

    /** The marks of a transaction come a little after its end was decided. */
    const marked = async (topic: string, end: number): Promise<void> => {
      const transport = bench().open();
      await expect.poll(() => transport.ends(topic), { timeout: 30_000 }).toMatchObject([{ end }]);
    };

    it('are found when they are committed, with a gap behind them', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const begin = await bench().raw.transactions(topic);
      const transaction = await begin();
      await send(transaction, topic, 'a', 'b');
      await transaction.commit();
      await marked(topic, 3);
      const { records: found, next, end } = await transport.fetch(topic, 0, 0, atOnce);
      expect(valuesOf(found)).toEqual(['a', 'b']);
      expect({ next, end }).toEqual({ next: 3, end: 3 });
      expect(await transport.produce(topic, 0, records(1))).toBe(3);
    });

    it('are passed by when they were aborted, and what others wrote among them is not', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const [begin, beginOther] = [await bench().raw.transactions(topic), await bench().raw.transactions(`${topic}-2`)];
      for (const outcome of ['abort', 'commit', 'abort', 'commit'] as const) {
        const [transaction, other] = [await begin(), await beginOther()];
        await send(transaction, topic, `${outcome} 1`);
        await send(other, topic, 'of another');
        await transport.produce(topic, 0, records(1));
        await send(transaction, topic, `${outcome} 2`);
        await other.commit();
        await transaction[outcome]();
      }
      await marked(topic, 24);
      const { records: found } = await readOn(transport, topic);
      const undone = ['of another', '0'];
      const done = ['commit 1', 'of another', '0', 'commit 2'];
      expect(valuesOf(found)).toEqual([...undone, ...done, ...undone, ...done]);
    });

    it('are caught up with where nothing but their marks is left to read', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(1));
      const begin = await bench().raw.transactions(topic);
      for (const _ of [1, 2]) {
        const transaction = await begin();
        await send(transaction, topic, 'undone');
        await transaction.abort();
      }
      await marked(topic, 5);
      for (const from of [1, 2, 3, 4, 5])
        expect(await transport.fetch(topic, 0, from, atOnce)).toMatchObject({
          records: [],
          next: 5,
          end: 5,
          written: 5,
        });
    });

    it('hold up the end until they are decided', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(1));
      const begin = await bench().raw.transactions(topic);
      const transaction = await begin();
      await send(transaction, topic, 'undecided');
      await transport.produce(topic, 0, records(1, 1));
      expect(await transport.ends(topic)).toMatchObject([{ end: 1 }]);
      expect(await transport.fetch(topic, 0, 0, atOnce)).toMatchObject({
        records: { length: 1 },
        next: 1,
        end: 1,
        written: 3,
      });
      const waiting = transport.fetch(topic, 0, 1, { ...atOnce, maxWaitMs: forever });
      await transaction.commit();
      expect(valuesOf((await waiting).records)).toEqual(['undecided', '1']);
      await marked(topic, 4);
    });

    it('come apart from the answer they begin in', async () => {
      const transport = bench().open();
      const topic = await bench().topic();
      const begin = await bench().raw.transactions(topic);
      for (const outcome of ['abort', 'commit'] as const) {
        const transaction = await begin();
        for (const part of ['a', 'b', 'c']) await send(transaction, topic, `${outcome} ${part}`);
        await transaction[outcome]();
      }
      await marked(topic, 8);
      const { records: found, answers } = await readOn(transport, topic, 0, 1);
      expect(valuesOf(found)).toEqual(['commit a', 'commit b', 'commit c']);
      expect(answers.length).toBe(8);
    });
  });
}
