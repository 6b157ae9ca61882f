// The contract: reading streams and the whole ledger, and its streams, digests and ranges.
import { describe, expect, it } from 'vitest';
import { sha256 } from '../identity/ids.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { type Bench, collect, textOf } from './fixture.ts';
import {
  evidenceStream,
  note,
  noteIn,
  notesStream,
  report,
  rollout,
  someNotes,
  someRollouts,
  streams,
  workStream,
} from './samples.ts';

const any = { expect: 'any' } as const;
const revisions = (events: readonly StoredEvent[]): number[] => events.map((event) => event.revision);
const ids = (events: readonly { readonly id: string }[]): string[] => events.map((event) => event.id);

/** Without the events that report attempts, if the store needs them. */
const withoutReports = (events: readonly StoredEvent[]): readonly StoredEvent[] =>
  events.filter(({ stream }) => stream !== workStream);

async function interleaved(bench: Bench, each: number): Promise<Ledger> {
  const ledger = await bench.fresh();
  await interleave(ledger, each);
  return ledger;
}

/** Alternating notes and rollouts, one per append: r0 n0 r1 n1 ... */
async function interleave(ledger: Ledger, each: number): Promise<void> {
  for (let i = 0; i < each; i++) {
    await ledger.append(evidenceStream, [rollout(i)], any);
    await ledger.append(notesStream, [note(i)], any);
  }
  await report(ledger);
}

/** More than fits in a batch, in any stream. */
async function large(ledger: Ledger): Promise<void> {
  const text = 'x'.repeat(700_000);
  for (let i = 0; i < 16; i++) await ledger.append(notesStream, [note(i, text)], any);
  await ledger.append(evidenceStream, [rollout(0)], any);
  await report(ledger);
}

export function reading(bench: () => Bench): void {
  describe('reading a stream', () => {
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
      const ledger = await bench().kept('ten', async (ten) => {
        await ten.append(evidenceStream, someRollouts(0, 10), any);
        await report(ten);
        await ten.append(notesStream, someNotes(0, 10), any);
      });
      for (const stream of [notesStream, evidenceStream]) {
        expect(revisions(await collect(ledger.read(stream, options)))).toEqual(wanted);
        const backwards = ledger.read(stream, { ...options, backwards: true });
        if (!ledger.capabilities.backwards) {
          await expect(collect(backwards)).rejects.toMatchObject({ name: 'UnsupportedByStore' });
        } else if (!('limit' in options)) {
          expect(revisions(await collect(backwards))).toEqual([...wanted].reverse());
        }
      }
      expect(await collect(ledger.read('notes-nobody', options))).toEqual([]);
      expect(await collect(ledger.read('evidence-nobody-1-0-0', options))).toEqual([]);
    });

    it('yields every event once, in any number of batches', async () => {
      const ledger = await bench().fresh();
      for (let i = 0; i < 5; i++) await ledger.append(evidenceStream, someRollouts(i * 700, 700), any);
      const events = await collect(ledger.read(evidenceStream));
      expect(revisions(events)).toEqual(Array.from({ length: 3500 }, (_, i) => i));
      if (!ledger.capabilities.backwards) return;
      const last = await collect(ledger.read(evidenceStream, { backwards: true, limit: 1700 }));
      expect(revisions(last)).toEqual(Array.from({ length: 1700 }, (_, i) => 3499 - i));
    });

    it('yields small batches of large events, also when reading everything', async () => {
      const ledger = await bench().fresh();
      await large(ledger);
      const reads = {
        16: [ledger.read(notesStream)],
        17: [
          ledger.readAll({ types: ['RunAnnotated', 'RolloutRecorded'] }),
          ledger.readAll({ streams: [notesStream, evidenceStream] }),
        ],
      };
      for (const [events, each] of Object.entries(reads)) {
        for (const batches of each) {
          let seen = 0;
          for await (const batch of batches) {
            seen += batch.filter(({ stream }) => stream !== workStream).length;
            expect(batch.reduce((sum, event) => sum + event.body.length, 0)).toBeLessThan(8_000_000);
          }
          expect(seen).toBe(Number(events));
        }
      }
    });
  });

  describe('reading everything', () => {
    it('yields each event once, each stream in order', async () => {
      const ledger = await interleaved(bench(), 20);
      const events = withoutReports(await collect(ledger.readAll()));
      expect(events).toHaveLength(40);
      const of = (stream: string): number[] => revisions(events.filter((event) => event.stream === stream));
      for (const stream of [notesStream, evidenceStream])
        expect(of(stream)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      if (ledger.capabilities.totalOrder)
        expect(ids(events)).toEqual(ids(Array.from({ length: 20 }, (_, i) => [rollout(i), note(i)]).flat()));
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
    ])('with %j yields exactly the selected events', async (options, wanted) => {
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

    it('backwards yields the same in reverse order, also with filters', async () => {
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

    it('resumes after any event without loss or repetition, and cursors give the order', async () => {
      const ledger = await interleaved(bench(), 6);
      const all = await collect(ledger.readAll());
      for (const [index, event] of all.entries()) {
        const rest = await collect(ledger.readAll({ after: event.cursor }));
        expect(ids(rest)).toEqual(ids(all.slice(index + 1)));
        const notes = await collect(ledger.readAll({ after: event.cursor, streams: [notesStream] }));
        expect(ids(notes)).toEqual(ids(all.slice(index + 1).filter((one) => one.stream === notesStream)));
        const order = ledger.compareCursors((all[2] as StoredEvent).cursor, event.cursor);
        expect(order).toBe(index === 2 ? 'equal' : index > 2 ? 'before' : 'after');
      }
      expect(ledger.compareCursors(all.at(-1)?.cursor ?? '', (await ledger.head()).cursor)).toBe('equal');
    });

    it('after the cursor of an append yields exactly the later events', async () => {
      const ledger = await bench().fresh();
      const { cursor } = await ledger.append(notesStream, someNotes(0, 5), any);
      await ledger.append(notesStream, someNotes(5, 5), any);
      expect(ids(await collect(ledger.readAll({ after: cursor })))).toEqual(ids(someNotes(5, 5)));
    });

    it('accepts cursors from before a restart, and refuses those of another ledger', async () => {
      const ledger = await interleaved(bench(), 2);
      const all = await collect(ledger.readAll());
      const { cursor } = all[1] as StoredEvent;
      const again = await bench().reopen(ledger);
      expect(await collect(again.readAll({ after: cursor }))).toHaveLength(all.length - 2);
      const other = await bench().fresh();
      for (const bad of [cursor, '', 'nonsense', '12', `${cursor}x`, `${other.id}@99`]) {
        await expect(collect(other.readAll({ after: bad }))).rejects.toMatchObject({ name: 'BadCursor' });
      }
    });

    it('ends at the end of the ledger when it began, although others continue to write', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, someNotes(0, 3000), any);
      let written = 3000;
      let seen = 0;
      for await (const batch of ledger.readAll()) {
        seen += batch.length;
        if (written === 5000) continue;
        await ledger.append(notesStream, someNotes(written, 1000), any);
        written += 1000;
      }
      expect(seen).toBe(3000);
    });

    it('by stream and type finds few events of one type among many of another', async () => {
      const ledger = await bench().fresh();
      const failure = { ...rollout(0), type: 'FailureRecorded', id: note(0).id };
      const data = { rollout: rollout(0).id, environment: 'lake', split: 'probe', failures: [{ class: 'hole' }] };
      await ledger.append(evidenceStream, someRollouts(0, 6000), any);
      await ledger.append(evidenceStream, [{ ...failure, data }], any);
      await ledger.append(evidenceStream, someRollouts(6000, 6000), any);
      await report(ledger);
      for (const backwards of [false, true]) {
        if (backwards && !ledger.capabilities.backwards) continue;
        const few = { streams: [evidenceStream], types: ['FailureRecorded'], backwards };
        expect(revisions(await collect(ledger.readAll(few)))).toEqual([6000]);
      }
    });

    it('of an empty ledger yields nothing, and its head is a cursor to resume from', async () => {
      const ledger = await bench().fresh();
      expect(await collect(ledger.readAll())).toEqual([]);
      expect(await ledger.ranges(10)).toEqual([]);
      const head = await ledger.head();
      expect(head.events).toBe(0);
      await ledger.append(notesStream, [note(0)], any);
      expect(await collect(ledger.readAll({ after: head.cursor }))).toHaveLength(1);
      expect(await ledger.head()).toMatchObject({ events: 1 });
    });
  });

  describe('finding by id', () => {
    it('accepts a whole id, in upper or lower case, or a prefix of one', async () => {
      const ledger = await bench().kept('three of each', (empty) => interleave(empty, 3));
      const { id } = note(1);
      if (!ledger.capabilities.findById) expect(await ledger.find(rollout(1).id)).toEqual([]);
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

  describe('surveying', () => {
    it('lists the streams with a prefix, in order, with their last revisions and cursors', async () => {
      const ledger = await bench().fresh();
      for (const [i, stream] of streams.entries())
        await ledger.append(stream, [noteIn(stream, 0), noteIn(stream, 1)].slice(0, i === 1 ? 2 : 1), any);
      await ledger.append(evidenceStream, someRollouts(0, 3), any);
      await report(ledger);
      const end = async (stream: string, revision: number) => {
        const [event] = await collect(ledger.read(stream, { from: revision }));
        return { stream, revision, cursor: event?.cursor };
      };
      const ends = await Promise.all(streams.map((stream, i) => end(stream, i === 1 ? 1 : 0)));
      expect(await collect(ledger.streams('notes-'))).toEqual(ends);
      expect(await collect(ledger.streams('notes-b'))).toEqual([ends[1]]);
      const all = [await end(evidenceStream, 2), ...ends];
      expect((await collect(ledger.streams())).filter(({ stream }) => stream !== workStream)).toEqual(all);
      expect(await collect(ledger.streams('evidence-'))).toEqual(all.slice(0, 1));
      expect(await collect(ledger.streams('run-'))).toEqual([]);
    });

    it('returns the digests of everything, of a part, and of a stream, in order', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 4100), any);
      await ledger.append(notesStream, [note(0), note(1)], any);
      await ledger.append(evidenceStream, someRollouts(4100, 300), any);
      await report(ledger);
      const all = await collect(ledger.readAll());
      const join = (some: typeof all): string => some.map(({ body }) => sha256(body)).join('');
      expect(await textOf(ledger.digests({}))).toBe(join(all));
      for (const index of [0, 2, 4102]) {
        const { cursor } = all[index] as StoredEvent;
        expect(await textOf(ledger.digests({ after: cursor }))).toBe(join(all.slice(index + 1)));
        expect(await textOf(ledger.digests({ until: cursor }))).toBe(join(all.slice(0, index + 1)));
      }
      const evidence = all.filter(({ stream }) => stream === evidenceStream);
      expect(await textOf(ledger.digests({ stream: evidenceStream }))).toBe(join(evidence));
      const some = ledger.digests({ stream: evidenceStream, from: 5, to: 4200 });
      expect(await textOf(some)).toBe(join(evidence.slice(5, 4201)));
      expect(await textOf(ledger.digests({ stream: notesStream, from: 2 }))).toBe('');
      expect(await textOf(ledger.digests({ stream: 'run-none' }))).toBe('');
    });

    it('splits the ledger into ranges that together contain everything', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 25), any);
      await ledger.append(notesStream, [note(0), note(1)], any);
      await report(ledger);
      const all = await collect(ledger.readAll());
      const read: StoredEvent[] = [];
      for (const { after, until, events } of await ledger.ranges(10)) {
        const part = await collect(ledger.readAll({ ...(after === null ? {} : { after }), until }));
        expect(part.length).toBe(events);
        expect(events).toBeLessThanOrEqual(10);
        read.push(...part);
      }
      expect(ids(read)).toEqual(ids(all));
      const { cursor } = all[6] as StoredEvent;
      expect((await ledger.ranges(100, { after: cursor })).map(({ events }) => events)).toEqual([all.length - 7]);
      expect((await ledger.ranges(100, { until: cursor })).map(({ events }) => events)).toEqual([7]);
    });

    it('finds no faults in a sound store', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 300), any);
      await report(ledger);
      const faults = [];
      for await (const fault of ledger.audit()) faults.push(fault);
      expect(faults).toEqual([]);
    });
  });
}
