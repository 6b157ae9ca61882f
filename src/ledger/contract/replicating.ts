// The contract: copying events verbatim. Events of another ledger are stored here in the same bytes, or not at all.
import { describe, expect, it } from 'vitest';
import { sha256 } from '../identity/ids.ts';
import type { Ledger } from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, noteIn, notesStream, report, someRollouts, streams } from './samples.ts';

async function original(bench: Bench): Promise<{ ledger: Ledger; events: StoredEvent[] }> {
  const ledger = await bench.fresh();
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
  await ledger.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
  await ledger.append(notesStream, [note(2)], { expect: 'exists' });
  await report(ledger);
  return { ledger, events: await collect(ledger.readAll()) };
}

type Changes = Partial<
  Pick<StoredEvent, 'stream' | 'revision' | 'type' | 'filedId' | 'recordedMs' | 'digest' | 'body'>
>;

function changed(event: StoredEvent, changes: Changes): StoredEvent {
  const { stream, revision, type, filedId, recordedMs, digest, body } = { ...event, ...changes };
  return new StoredEvent(stream, revision, type, filedId, recordedMs, digest, body, event.cursor);
}

const ofBytes = (body: string): Changes => ({ body, digest: sha256(body) });

const plain = (events: readonly StoredEvent[]) =>
  events.map(({ stream, revision, type, filedId, recordedMs, digest, body }) => {
    return { stream, revision, type, filedId, recordedMs, digest, body };
  });

/** The number of events that a refused call left: of all streams, if it must be none, or of the stream that it was refused for. */
async function storedBy(ledger: Ledger, refused: string): Promise<number> {
  const stored = await collect(ledger.capabilities.atomicReplicate ? ledger.readAll() : ledger.read(refused));
  return stored.length;
}

export function replicating(bench: () => Bench): void {
  describe('replicating', () => {
    it('stores events of several streams in the same bytes, with their recording time', async () => {
      const { events } = await original(bench());
      const copy = await bench().fresh();
      expect((await copy.replicate(events)).existed).toBe(0);
      expect(plain(await collect(copy.readAll()))).toEqual(plain(events));
      for (const { stream, revision } of events)
        expect(await collect(copy.read(stream, { from: revision, to: revision }))).toHaveLength(1);
      if (!copy.capabilities.findById) return;
      expect(plain(await copy.find(events[3]?.id ?? ''))).toEqual(plain(events.slice(3, 4)));
    });

    it('counts existing events and adds the rest', async () => {
      const { events } = await original(bench());
      const copy = await bench().fresh();
      await copy.replicate(events.slice(0, 4));
      expect((await copy.replicate(events)).existed).toBe(4);
      const reopened = await bench().reopen(copy);
      expect((await reopened.replicate(events)).existed).toBe(events.length);
      expect(plain(await collect(reopened.readAll()))).toEqual(plain(events));
    });

    it('can be continued by appends after the end of the original', async () => {
      const { ledger, events } = await original(bench());
      const copy = await bench().fresh();
      await copy.replicate(events);
      const [here, there] = await Promise.all(
        [copy, ledger].map((one) => one.append(notesStream, [note(3)], { expect: 2 })),
      );
      expect(here?.digests).toBe(there?.digests);
    });

    it('refuses an event in the place of another, and stores nothing of the batch', async () => {
      const { events } = await original(bench());
      const other = await bench().fresh();
      await other.append(notesStream, [note(7)], { expect: 'none' });
      await expect(other.replicate(events)).rejects.toMatchObject({ name: 'Diverged', kind: 'conflict' });
      expect(await storedBy(other, notesStream)).toBe(1);
    });

    it('refuses an event with a different or missing predecessor', async () => {
      const { events } = await original(bench());
      const other = await bench().fresh();
      await other.append(notesStream, [note(7)], { expect: 'none' });
      await expect(other.replicate(events.slice(1, 2))).rejects.toMatchObject({ name: 'Diverged' });
      const empty = await bench().fresh();
      await expect(empty.replicate(events.slice(1, 2))).rejects.toMatchObject({ name: 'WrongRevision' });
    });

    it('refuses an event that is damaged or filed as something else', async () => {
      const { events } = await original(bench());
      const event = events[0] as StoredEvent;
      const damages: Changes[] = [
        { body: event.body.replace('note 0', 'note 9') },
        { digest: event.digest.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
        { stream: 'notes-other' },
        { type: 'Redacted' },
        { filedId: (events[1] as StoredEvent).filedId },
      ];
      const copy = await bench().fresh();
      for (const damage of damages) {
        await expect(copy.replicate([changed(event, damage)])).rejects.toMatchObject({ name: 'DamagedEvent' });
      }
      expect((await copy.head()).events).toBe(0);
    });

    it('refuses invalid events even if their digest matches', async () => {
      const { events } = await original(bench());
      const copy = await bench().fresh();
      for (const event of events.slice(0, 3)) {
        const impossible: Changes[] = [
          ofBytes(event.body.replace('"data":{', `"data":{"a":"${'x'.repeat(1_000_000)}",`)),
          ofBytes(event.body.replace('"data":{', `"data":{"a":"${'€'.repeat(340_000)}",`)),
          ofBytes(event.body.replace('"data":{', '"data":{\n')),
          ofBytes(event.body.replace('"data":{', '"data":{"z":1,"z":1,')),
          ofBytes(event.body.replace('"data":{', '"data":{"":2.10e1,')),
          ofBytes(event.body.replace('"data":{', '"data":{"":-0,')),
          ofBytes(event.body.replace('"data":{', '"data":{"":"\\u0041",')),
          { recordedMs: 8.64e15 + 1 },
          { recordedMs: -9e15 },
        ];
        for (const changes of impossible) {
          await expect(copy.replicate([changed(event, changes)])).rejects.toMatchObject({ name: 'DamagedEvent' });
        }
      }
      expect((await copy.head()).events).toBe(0);
    });

    it('refuses an id of another event', async () => {
      const { events } = await original(bench());
      const other = await bench().fresh();
      const [stream = ''] = streams;
      await other.append(stream, [{ ...noteIn(stream, 0), id: note(0).id }], { expect: 'none' });
      if (other.capabilities.ids === 'stream') return;
      await expect(other.replicate(events)).rejects.toMatchObject({ name: 'DuplicateId' });
      expect(await storedBy(other, notesStream)).toBe(other.capabilities.atomicReplicate ? 1 : 0);
    });
  });
}
