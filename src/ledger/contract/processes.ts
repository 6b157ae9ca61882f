// The contract: many processes, and processes that are killed.
import { describe, expect, it } from 'vitest';
import { type Bench, collect } from './fixture.ts';
import { killOnce } from './kills.ts';
import { evidenceStream, noteIn, notesStream, rolloutIn, streams } from './samples.ts';
import { startTogether } from './writers.ts';

export function processes(bench: () => Bench): void {
  describe('many concurrent processes', () => {
    it('on separate streams lose and repeat nothing', async () => {
      const ledger = await bench().fresh();
      const each = bench().some(300);
      const streamOfWriter = (writer: number): string => evidenceStream.replace('-0-1', `-${writer}-1`);
      const orders = bench().writers.map((writer) => ({
        url: ledger.url,
        stream: streamOfWriter(writer),
        ...{ from: 0, to: each, batch: 7, mode: 'append' as const },
      }));
      const writers = await startTogether(orders);
      for (const writer of writers) await writer.ended();
      for (const writer of bench().writers) {
        const stream = streamOfWriter(writer);
        const ids = (await collect(ledger.read(stream))).map((event) => event.id);
        expect(ids).toEqual(Array.from({ length: each }, (_, i) => rolloutIn(stream, i).id));
      }
      expect(await collect(ledger.readAll({ types: ['RolloutRecorded'] }))).toHaveLength(bench().writers.length * each);
    });

    it('on one stream lose and repeat nothing, and every event is chained to the one before', async () => {
      const ledger = await bench().fresh();
      const each = bench().some(60);
      const orders = bench().writers.map((writer) => ({
        url: ledger.url,
        stream: notesStream,
        ...{ from: writer * each, to: (writer + 1) * each, batch: 3, mode: 'append' as const },
      }));
      const writers = await startTogether(orders);
      for (const writer of writers) await writer.ended();
      const events = await collect(ledger.read(notesStream));
      expect(new Set(events.map((event) => event.id)).size).toBe(bench().writers.length * each);
      expect(events.map((event) => event.revision)).toEqual(
        Array.from({ length: bench().writers.length * each }, (_, i) => i),
      );
      for (const [index, event] of events.entries()) {
        expect(event.envelope.previous).toBe(index === 0 ? null : events[index - 1]?.digest);
      }
    });

    it('keep the order of appends that one of them does not await', async () => {
      const ledger = await bench().fresh();
      const stream = evidenceStream.replace('-0-1', '-7-1');
      const [rival] = await startTogether([
        { url: ledger.url, stream: evidenceStream, from: 0, to: 1_000_000, batch: 1, mode: 'append' },
      ]);
      await rival?.reaches(10);
      const done = await Promise.all(
        Array.from({ length: 300 }, (_, i) => ledger.append(stream, [rolloutIn(stream, i)], { expect: 'any' })),
      );
      rival?.kill();
      await rival?.ended();
      expect(done.map(({ revision }) => revision)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    });

    it('that expect exact revisions succeed one at a time', async () => {
      const ledger = await bench().fresh();
      const stream = streams[0] as string;
      const each = bench().some(30);
      const orders = bench().writers.map((writer) => ({
        url: ledger.url,
        stream,
        ...{ from: writer * each, to: (writer + 1) * each, batch: 1, mode: 'race' as const },
      }));
      const writers = await startTogether(orders);
      for (const writer of writers) await writer.ended();
      const events = await collect(ledger.read(stream));
      expect(events).toHaveLength(bench().writers.length * each);
      const won = writers.flatMap((writer) => writer.acknowledged);
      expect(won.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(events.map((event) => event.revision));
      for (const { revision, from } of won) expect(events[revision]?.id).toBe(noteIn(stream, from).id);
    });
  });

  describe('many processes that never pause', () => {
    it.each([
      ['separate streams', (writer: number): string => evidenceStream.replace('-0-1', `-${writer}-1`)],
      ['one stream', (): string => notesStream],
    ])('on %s share fairly: the slowest gets at least a third of what the fastest gets', async (_, streamOfWriter) => {
      const ledger = await bench().fresh();
      if (!ledger.capabilities.fairWriters) return;
      const writers = await startTogether(
        bench().writers.map((writer) => ({
          url: ledger.url,
          stream: streamOfWriter(writer),
          ...{ from: writer * 100_000, to: (writer + 1) * 100_000, batch: 1, mode: 'append' as const },
        })),
      );
      let shares: readonly number[] = [];
      // Over a short time chance and other load have an influence; a writer that the store starves falls further and further behind.
      for (const far of [600, 1200, 2400]) {
        await Promise.race(writers.map((writer) => writer.reaches(far)));
        shares = writers.map((writer) => writer.acknowledged.length);
        if (Math.min(...shares) >= Math.max(...shares) / 3) break;
      }
      for (const writer of writers) writer.kill();
      for (const writer of writers) await writer.ended();
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(Math.max(...shares) / 3);
    });
  });

  describe('a writer killed with SIGKILL', () => {
    it('at a random moment has lost no acknowledged event', async () => {
      const ledger = await bench().fresh();
      const rounds = bench().some(10);
      for (let round = 0; round < rounds; round++) {
        const stream = evidenceStream.replace('-0-1', `-${round}-1`);
        expect(await killOnce(ledger, stream, Math.random(), round / rounds)).toMatchObject({ fault: null });
      }
    });

    it('can be replaced by another that sends everything again', async () => {
      const ledger = await bench().fresh();
      const orders = {
        url: ledger.url,
        stream: evidenceStream,
        from: 0,
        to: 5000,
        batch: 11,
        mode: 'append' as const,
      };
      const [killed] = await startTogether([orders]);
      await killed?.reaches(20);
      killed?.kill();
      await killed?.ended();
      const [successor] = await startTogether([{ ...orders, to: 2000 }]);
      await successor?.ended();
      const ids = (await collect(ledger.read(evidenceStream, { to: 1999 }))).map((event) => event.id);
      expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => rolloutIn(evidenceStream, i).id));
    });
  });
}
