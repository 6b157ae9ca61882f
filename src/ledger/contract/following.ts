// The contract: following the ledger live.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../event.ts';
import type { Delivery, Ledger, SubscribeOptions } from '../ledger.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, notesStream, report, someNotes, someRollouts } from './samples.ts';

/** Reads deliveries until `enough` returns true; ends the subscription by leaving it. */
async function deliveriesUntil(
  ledger: Ledger,
  options: SubscribeOptions,
  enough: (ids: readonly string[], last: Delivery) => boolean,
): Promise<{ ids: string[]; cursor: Cursor; kinds: string[] }> {
  const ids: string[] = [];
  const kinds: string[] = [];
  for await (const delivery of ledger.subscribe(options)) {
    kinds.push(delivery.kind);
    if (delivery.kind !== 'caught-up') ids.push(...delivery.events.map((event) => event.id));
    if (enough(ids, delivery)) return { ids, cursor: delivery.cursor, kinds };
  }
  throw new Error('the subscription ended by itself');
}

const caughtUp = (_: readonly string[], last: Delivery): boolean => last.kind === 'caught-up';
const noteIds = (from: number, count: number): string[] => someNotes(from, count).map((event) => event.id);

export function following(bench: () => Bench): void {
  describe('following', () => {
    it('delivers existing events, reports that it has caught up, and continues with new ones', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, someNotes(0, 3), { expect: 'any' });
      let appending: Promise<unknown> | null = null;
      const found = await deliveriesUntil(ledger, {}, (ids, last) => {
        if (last.kind === 'caught-up') appending ??= ledger.append(notesStream, someNotes(3, 2), { expect: 'any' });
        return ids.length === 5;
      });
      await appending;
      expect(found.ids).toEqual(noteIds(0, 5));
      expect(found.kinds).toContain('caught-up');
    });

    it('an empty ledger catches up immediately', async () => {
      const ledger = await bench().fresh();
      expect((await deliveriesUntil(ledger, {}, caughtUp)).kinds).toEqual(['caught-up']);
    });

    it('catches up at a cursor after which reading continues with exactly the rest', async () => {
      const ledger = await bench().fresh();
      for (let round = 0; round < 3; round++) {
        const { cursor } = await deliveriesUntil(ledger, {}, caughtUp);
        expect(await collect(ledger.readAll({ after: cursor }))).toEqual([]);
        await ledger.append(notesStream, [note(round)], { expect: 'any' });
        expect((await collect(ledger.readAll({ after: cursor }))).map(({ id }) => id)).toEqual([note(round).id]);
      }
    });

    it('delivers appends of another opener of the ledger', async () => {
      const writer = await bench().fresh();
      const reader = await bench().open(writer.url);
      const appending: Promise<unknown>[] = [];
      const found = await deliveriesUntil(reader, {}, (ids, last) => {
        if (last.kind === 'caught-up' && appending.length < 5)
          appending.push(writer.append(notesStream, [note(appending.length)], { expect: 'any' }));
        return ids.length === 5;
      });
      await Promise.all(appending);
      expect(found.ids).toEqual([0, 1, 2, 3, 4].map((i) => note(i).id));
    });

    it('delivers only requested events, and catches up with all of them', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      await ledger.append(notesStream, [note(0)], { expect: 'any' });
      await ledger.append(evidenceStream, someRollouts(3, 3), { expect: 'any' });
      await report(ledger);
      const notes = await deliveriesUntil(ledger, { types: ['RunAnnotated'] }, caughtUp);
      expect(notes.ids).toEqual([note(0).id]);
      const evidence = await deliveriesUntil(ledger, { streams: [evidenceStream] }, caughtUp);
      expect(evidence.ids).toEqual(someRollouts(0, 6).map((event) => event.id));
      expect(await collect(ledger.readAll({ after: notes.cursor, types: ['RunAnnotated'] }))).toEqual([]);
      expect(await collect(ledger.readAll({ after: evidence.cursor, streams: [evidenceStream] }))).toEqual([]);
    });

    it('delivers evidence of another opener, after its report where reports are required', async () => {
      const writer = await bench().fresh();
      const reader = await bench().open(writer.url);
      const ids = someRollouts(0, 3).map((event) => event.id);
      let appending: Promise<unknown> | null = null;
      const begin = (_: readonly string[], last: Delivery): void => {
        if (last.kind === 'caught-up')
          appending ??= writer.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      };
      const early = await deliveriesUntil(reader, { unsealed: true }, (seen, last) => {
        begin(seen, last);
        return seen.length === 3;
      });
      await appending;
      expect(early.ids).toEqual(ids);
      expect(early.kinds.includes('unsealed')).toBe(writer.capabilities.attempts === 'reported');
      await report(writer);
      const later = await deliveriesUntil(reader, { types: ['RolloutRecorded'] }, (seen) => seen.length === 3);
      expect(later.ids).toEqual(ids);
      expect(later.kinds).not.toContain('unsealed');
    });

    it('resumes after any cursor without loss or repetition', async () => {
      const ledger = await bench().fresh();
      let after: Cursor | undefined;
      const seen: string[] = [];
      for (let round = 0; round < 6; round++) {
        await ledger.append(notesStream, someNotes(round * 40, 40), { expect: 'any' });
        const options = after === undefined ? {} : { after };
        const found = await deliveriesUntil(ledger, options, (ids) => ids.length > 0);
        seen.push(...found.ids);
        after = found.cursor;
      }
      expect(seen).toEqual(noteIds(0, seen.length));
    });

    it('loses nothing while another writer never pauses', async () => {
      const writer = await bench().fresh();
      const reader = await bench().open(writer.url);
      const total = 600;
      const writing = (async () => {
        for (let i = 0; i < total; i += 3) await writer.append(notesStream, someNotes(i, 3), { expect: 'any' });
      })();
      const found = await deliveriesUntil(reader, {}, (ids) => ids.length >= total);
      await writing;
      expect(found.ids).toEqual(noteIds(0, total));
    });

    it('catches up although others never pause', async () => {
      const writer = await bench().fresh();
      const reader = await bench().open(writer.url);
      await writer.append(notesStream, someNotes(0, 3000), { expect: 'any' });
      let written = 3000;
      const kinds: string[] = [];
      for await (const delivery of reader.subscribe()) {
        kinds.push(delivery.kind);
        if (delivery.kind === 'caught-up') break;
        await writer.append(notesStream, someNotes(written, 1000), { expect: 'any' });
        written += 1000;
        expect(kinds.length).toBeLessThan(20);
      }
      expect(kinds.at(-1)).toBe('caught-up');
    });

    it('ends when its signal aborts, even while it waits', async () => {
      const ledger = await bench().fresh();
      const stop = new AbortController();
      const kinds: string[] = [];
      for await (const delivery of ledger.subscribe({ signal: stop.signal })) {
        kinds.push(delivery.kind);
        setImmediate(() => stop.abort());
      }
      expect(kinds).toEqual(['caught-up']);
      for await (const _ of ledger.subscribe({ signal: stop.signal })) expect.unreachable('it was over before');
    });

    it('ends when the ledger is closed', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(0)], { expect: 'any' });
      for await (const delivery of ledger.subscribe()) {
        if (delivery.kind === 'caught-up') setImmediate(() => void ledger.close());
      }
    });

    it('refuses a cursor of another ledger', async () => {
      const ledger = await bench().fresh();
      await expect(deliveriesUntil(ledger, { after: 'elsewhere@3' }, caughtUp)).rejects.toMatchObject({
        name: 'BadCursor',
      });
    });
  });
}
