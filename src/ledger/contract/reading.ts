// The contract, fourth part: reading streams and the whole ledger.
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, notesStream, rollout, someRollouts } from './samples.ts';

const revisions = (events: readonly StoredEvent[]): number[] => events.map((event) => event.revision);
const ids = (events: readonly { readonly id: string }[]): string[] => events.map((event) => event.id);

async function interleaved(bench: Bench, each: number): Promise<Ledger> {
  const ledger = await bench.fresh();
  await interleave(ledger, each);
  return ledger;
}

/** Notes and rollouts in turns, one append each: r0 n0 r1 n1 ... */
async function interleave(ledger: Ledger, each: number): Promise<void> {
  for (let i = 0; i < each; i++) {
    await ledger.append(evidenceStream, [rollout(i)], { expect: 'any' });
    await ledger.append(notesStream, [note(i)], { expect: 'any' });
  }
}

export function reading(bench: () => Bench): void {
  describe('reading a stream', () => {
    it('that does not exist yields nothing', async () => {
      const ledger = await bench().kept('empty');
      expect(await collect(ledger.read('notes-nobody'))).toEqual([]);
    });

    it.each([
      [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
      [{ from: 3 }, [3, 4, 5, 6, 7, 8, 9]],
      [{ to: 2 }, [0, 1, 2]],
      [{ from: 4, to: 4 }, [4]],
      [{ from: 5, to: 4 }, []],
      [{ from: 10 }, []],
      [{ limit: 2 }, [0, 1]],
      [{ limit: 0 }, []],
      [{ from: 8, limit: 5 }, [8, 9]],
    ])('%j yields the revisions %j', async (options, wanted) => {
      const ledger = await bench().kept('ten', (ten) =>
        ten.append(evidenceStream, someRollouts(0, 10), { expect: 'any' }),
      );
      expect(revisions(await collect(ledger.read(evidenceStream, options)))).toEqual(wanted);
      const backwards = ledger.read(evidenceStream, { ...options, backwards: true });
      if (!ledger.capabilities.backwards) {
        await expect(collect(backwards)).rejects.toMatchObject({ name: 'UnsupportedByStore' });
      } else if (!('limit' in options)) {
        expect(revisions(await collect(backwards))).toEqual([...wanted].reverse());
      }
    });

    it('in batches yields every event once, however many there are', async () => {
      const ledger = await bench().fresh();
      for (let i = 0; i < 5; i++) await ledger.append(evidenceStream, someRollouts(i * 700, 700), { expect: 'any' });
      const events = await collect(ledger.read(evidenceStream));
      expect(revisions(events)).toEqual(Array.from({ length: 3500 }, (_, i) => i));
      if (!ledger.capabilities.backwards) return;
      const last = await collect(ledger.read(evidenceStream, { backwards: true, limit: 1700 }));
      expect(revisions(last)).toEqual(Array.from({ length: 1700 }, (_, i) => 3499 - i));
    });

    it('of large events keeps batches small enough to hold', async () => {
      const ledger = await bench().fresh();
      const text = 'x'.repeat(700_000);
      for (let i = 0; i < 16; i++) await ledger.append(notesStream, [note(i, text)], { expect: 'any' });
      let seen = 0;
      for await (const batch of ledger.read(notesStream)) {
        seen += batch.length;
        expect(batch.reduce((sum, event) => sum + event.body.length, 0)).toBeLessThan(8_000_000);
      }
      expect(seen).toBe(16);
    });
  });

  describe('reading everything', () => {
    it('yields each event once, each stream in order', async () => {
      const ledger = await interleaved(bench(), 20);
      const events = await collect(ledger.readAll());
      expect(events).toHaveLength(40);
      const of = (stream: string): number[] => revisions(events.filter((event) => event.stream === stream));
      expect(of(notesStream)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      expect(of(evidenceStream)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      if (ledger.capabilities.totalOrder) {
        expect(ids(events)).toEqual(ids(Array.from({ length: 20 }, (_, i) => [rollout(i), note(i)]).flat()));
      }
    });

    it.each([
      [{ types: ['RunAnnotated'] }, [note(0), note(1), note(2)]],
      [{ streams: [evidenceStream] }, [rollout(0), rollout(1), rollout(2)]],
      [{ types: ['RunAnnotated'], streams: [evidenceStream] }, []],
      [{ types: ['RunAnnotated', 'RolloutRecorded'] }, [rollout(0), note(0), rollout(1), note(1), rollout(2), note(2)]],
      [{ streams: [notesStream, evidenceStream], limit: 3 }, [rollout(0), note(0), rollout(1)]],
      [{ types: [] }, []],
      [{ streams: [] }, []],
      [{ streams: ['notes-nobody'] }, []],
      [{ types: ['RunStarted'] }, []],
      [{ limit: 0 }, []],
    ])('with %j yields just that', async (options, wanted) => {
      const ledger = await bench().kept('three of each', (empty) => interleave(empty, 3));
      const found = ids(await collect(ledger.readAll(options)));
      if (ledger.capabilities.totalOrder) {
        expect(found).toEqual(ids(wanted));
        return;
      }
      const { limit, ...filter } = { limit: undefined, ...options };
      const all = ids(await collect(ledger.readAll(filter)));
      expect(found).toEqual(all.slice(0, limit));
      if (limit === undefined) expect(new Set(found)).toEqual(new Set(ids(wanted)));
    });

    it('backwards is the same in reverse order, filters included', async () => {
      const ledger = await interleaved(bench(), 5);
      if (!ledger.capabilities.backwards) return;
      for (const options of [{}, { types: ['RunAnnotated'] }, { streams: [notesStream, evidenceStream] }]) {
        const forwards = await collect(ledger.readAll(options));
        const backwards = await collect(ledger.readAll({ ...options, backwards: true }));
        expect(ids(backwards)).toEqual(ids(forwards).reverse());
        const middle = forwards[3] as StoredEvent;
        const earlier = await collect(ledger.readAll({ ...options, backwards: true, after: middle.cursor, limit: 2 }));
        expect(ids(earlier)).toEqual(ids([forwards[2] as StoredEvent, forwards[1] as StoredEvent]));
      }
    });

    it('goes on after any event without loss or repetition', async () => {
      const ledger = await interleaved(bench(), 6);
      const all = await collect(ledger.readAll());
      for (const [index, event] of all.entries()) {
        const rest = await collect(ledger.readAll({ after: event.cursor }));
        expect(ids(rest)).toEqual(ids(all.slice(index + 1)));
        const notes = await collect(ledger.readAll({ after: event.cursor, streams: [notesStream] }));
        expect(ids(notes)).toEqual(ids(all.slice(index + 1).filter((one) => one.stream === notesStream)));
      }
    });

    it('after the cursor of an append yields nothing of it, and all that comes later', async () => {
      const ledger = await bench().fresh();
      const { cursor } = await ledger.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
      await ledger.append(evidenceStream, someRollouts(5, 5), { expect: 'any' });
      expect(ids(await collect(ledger.readAll({ after: cursor })))).toEqual(ids(someRollouts(5, 5)));
    });

    it('takes cursors that were kept over a restart, and refuses those of another ledger', async () => {
      const ledger = await interleaved(bench(), 2);
      const [, second] = await collect(ledger.readAll());
      const { cursor } = second as StoredEvent;
      const again = await bench().reopen(ledger);
      expect(await collect(again.readAll({ after: cursor }))).toHaveLength(2);
      const other = await bench().fresh();
      for (const bad of [cursor, '', 'nonsense', '12', `${cursor}x`, `${other.id}@99`]) {
        await expect(collect(other.readAll({ after: bad }))).rejects.toMatchObject({ name: 'BadCursor' });
      }
    });

    it('compares cursors', async () => {
      const ledger = await interleaved(bench(), 1);
      const [first, second] = (await collect(ledger.readAll())) as [StoredEvent, StoredEvent];
      expect(ledger.compareCursors(first.cursor, first.cursor)).toBe('equal');
      if (!ledger.capabilities.totalOrder) return;
      expect(ledger.compareCursors(first.cursor, second.cursor)).toBe('before');
      expect(ledger.compareCursors(second.cursor, first.cursor)).toBe('after');
      expect(ledger.compareCursors(second.cursor, (await ledger.head()).cursor)).toBe('equal');
    });

    it('ends with what was there when it began, though others go on writing', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 3000), { expect: 'any' });
      let written = 3000;
      let seen = 0;
      for await (const batch of ledger.readAll()) {
        seen += batch.length;
        await ledger.append(evidenceStream, someRollouts(written, 1000), { expect: 'any' });
        written += 1000;
      }
      expect(seen).toBe(3000);
    });

    it('filtered, of large events, keeps batches small enough to hold', async () => {
      const ledger = await bench().fresh();
      const text = 'x'.repeat(700_000);
      for (let i = 0; i < 16; i++) await ledger.append(notesStream, [note(i, text)], { expect: 'any' });
      await ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
      for (const options of [
        { types: ['RunAnnotated', 'RolloutRecorded'] },
        { streams: [notesStream, evidenceStream] },
      ]) {
        let seen = 0;
        for await (const batch of ledger.readAll(options)) {
          seen += batch.length;
          expect(batch.reduce((sum, event) => sum + event.body.length, 0)).toBeLessThan(8_000_000);
        }
        expect(seen).toBe(17);
      }
    });

    it('by stream and type finds the few of one type among many of another', async () => {
      const ledger = await bench().fresh();
      const failure = { ...rollout(0), type: 'FailureRecorded', id: note(0).id };
      const data = { rollout: rollout(0).id, environment: 'lake', split: 'probe', failures: [{ class: 'hole' }] };
      await ledger.append(evidenceStream, someRollouts(0, 6000), { expect: 'any' });
      await ledger.append(evidenceStream, [{ ...failure, data }], { expect: 'any' });
      await ledger.append(evidenceStream, someRollouts(6000, 6000), { expect: 'any' });
      for (const backwards of [false, true]) {
        if (backwards && !ledger.capabilities.backwards) continue;
        const found = await collect(
          ledger.readAll({ streams: [evidenceStream], types: ['FailureRecorded'], backwards }),
        );
        expect(revisions(found)).toEqual([6000]);
      }
    });

    it('of an empty ledger yields nothing, and its head is a cursor to go on from', async () => {
      const ledger = await bench().fresh();
      expect(await collect(ledger.readAll())).toEqual([]);
      const head = await ledger.head();
      expect(head.events).toBe(0);
      await ledger.append(notesStream, [note(0)], { expect: 'any' });
      expect(await collect(ledger.readAll({ after: head.cursor }))).toHaveLength(1);
      expect(await ledger.head()).toMatchObject({ events: 1 });
    });
  });

  describe('finding by id', () => {
    it('takes a whole id, in any case, or the beginning of one', async () => {
      const ledger = await bench().kept('three of each', (empty) => interleave(empty, 3));
      const { id } = note(1);
      expect(ids(await ledger.find(id))).toEqual([id]);
      expect(ids(await ledger.find(id.toUpperCase()))).toEqual([id]);
      expect(ids(await ledger.find(id.slice(0, -1), 10))).toContain(id);
      expect(await ledger.find(id.slice(0, 8), 100)).not.toHaveLength(0);
      expect(await ledger.find(id.slice(0, 8), 1)).toHaveLength(1);
      for (const nobody of ['ffffffff', id.slice(0, 3), 'xyz', '', `${id}0`, "' OR 1=1"]) {
        expect(await ledger.find(nobody)).toEqual([]);
      }
    });
  });
}
