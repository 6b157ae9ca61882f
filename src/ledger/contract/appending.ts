// The contract: what an append stores. Large appends are tested too, since a store may handle them differently.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { sha256 } from '../identity/ids.ts';
import type { Ledger } from '../ledger.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, notesStream, report, rollout, someNotes, someRollouts } from './samples.ts';

const any = { expect: 'any' } as const;

/** Large enough for several packs, or for several requests to a server. */
const many = 1500;

async function evidenceIn(ledger: Ledger): Promise<readonly string[]> {
  return (await collect(ledger.read(evidenceStream))).map(({ digest }) => digest);
}

const withBad = (index: number, data: object): NewEvent => ({
  ...rollout(index),
  data: { ...rollout(index).data, ...data },
});

export function appending(bench: () => Bench): void {
  describe('appending', () => {
    it('assigns revisions from 0 and reports that no event existed before', async () => {
      const ledger = await bench().fresh();
      const first = await ledger.append(evidenceStream, someRollouts(0, 3), any);
      const second = await ledger.append(evidenceStream, someRollouts(3, 2), any);
      expect(first).toMatchObject({ revision: 2, existed: [false, false, false] });
      expect(second).toMatchObject({ revision: 4, existed: [false, false] });
      const events = await collect(ledger.read(evidenceStream));
      expect(events.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
      expect(events.map((event) => event.digest).join('')).toBe(first.digests + second.digests);
    });

    it('keeps the given events with their assigned places', async () => {
      const ledger = await bench().fresh();
      const before = Date.now();
      await ledger.append(evidenceStream, [rollout(7)], any);
      const [event] = await collect(ledger.read(evidenceStream));
      expect(event?.envelope).toEqual({ ...rollout(7), stream: evidenceStream, revision: 0, previous: null });
      expect(event).toMatchObject({ stream: evidenceStream, revision: 0, type: 'RolloutRecorded', id: rollout(7).id });
      expect(event?.recordedMs).toBeGreaterThanOrEqual(before - 1000);
      expect(event?.recordedMs).toBeLessThanOrEqual(Date.now() + 1000);
    });

    it('stores the hashed canonical bytes, chained to the event before across appends, except in evidence', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(1), note(2)], any);
      await ledger.append(notesStream, [note(3)], any);
      await ledger.append(evidenceStream, someRollouts(0, 2), any);
      const notes = await collect(ledger.read(notesStream));
      const evidence = await collect(ledger.read(evidenceStream));
      for (const event of [...notes, ...evidence]) {
        expect(event.body).toBe(canonicalJson(JSON.parse(event.body)));
        expect(event.digest).toBe(sha256(event.body));
      }
      expect(notes.map((event) => event.envelope.previous)).toEqual([null, notes[0]?.digest, notes[1]?.digest]);
      expect(evidence.map((event) => event.envelope.previous)).toEqual([null, null]);
    });

    it('accepts an empty list and returns the end of the stream', async () => {
      const ledger = await bench().fresh();
      for (const stream of [notesStream, evidenceStream])
        expect(await ledger.append(stream, [], any)).toMatchObject({ revision: -1, existed: [] });
      await ledger.append(notesStream, [note(1)], any);
      expect(await ledger.append(notesStream, [], any)).toMatchObject({ revision: 0, existed: [] });
      expect(await collect(ledger.readAll())).toHaveLength(1);
      const single = note(1) as unknown as readonly NewEvent[];
      await expect(ledger.append(notesStream, single, any)).rejects.toThrow(/a list of events/);
    });

    it('accepts the largest event, and refuses one byte more', async () => {
      const ledger = await bench().fresh();
      const { maxEventBytes } = ledger.capabilities;
      await ledger.append(notesStream, [note(0), note(1, '')], any);
      const [, empty] = await collect(ledger.read(notesStream));
      // Room for a revision of up to sixteen digits is always reserved.
      const room = maxEventBytes - Buffer.byteLength(empty?.body ?? '') - 15;
      const largest = note(2, 'x'.repeat(room));
      await ledger.append(notesStream, [largest], any);
      const events = await collect(ledger.read(notesStream));
      expect(events.at(-1)?.envelope.data).toEqual(largest.data);
      const tooLarge = note(3, 'x'.repeat(room + 1));
      await expect(ledger.append(notesStream, [tooLarge], any)).rejects.toMatchObject({
        name: 'EventTooLarge',
        kind: 'bad-input',
      });
    });

    it('returns every Unicode text unchanged', async () => {
      const ledger = await bench().fresh();
      let index = 0;
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
          const event = note(index++, text);
          const { revision } = await ledger.append(notesStream, [event], any);
          const [stored] = await collect(ledger.read(notesStream, { from: revision }));
          expect(stored?.envelope.data).toEqual(event.data);
          expect(stored?.digest).toBe(sha256(stored?.body ?? ''));
        }),
        { numRuns: tries(50) },
      );
    });

    it('refuses a lone surrogate, NaN and a hidden key, naming the event and the field', async () => {
      const ledger = await bench().kept('empty');
      await expect(ledger.append(notesStream, [note(1), note(2, 'a\ud800')], any)).rejects.toMatchObject({
        name: 'InvalidEvents',
        issues: [{ index: 1, field: 'data.note' }],
      });
      const hidden: unknown = JSON.parse('{"kind":"lake/plan","content":{"a":[{"__proto__":1}]}}');
      for (const [bad, field] of [
        [withBad(1, { reward: Number.NaN }), 'data.reward'],
        [withBad(1, { details: hidden }), expect.stringContaining('__proto__')],
      ] as const)
        await expect(ledger.append(evidenceStream, [bad], any)).rejects.toMatchObject({
          name: 'InvalidEvents',
          issues: [expect.objectContaining({ index: 0, field })],
        });
    });

    it('stores nothing of an append with an invalid event', async () => {
      const ledger = await bench().kept('empty');
      const wrong = { ...rollout(2), type: 'RolloutRecordet' };
      await expect(ledger.append(evidenceStream, [rollout(1), wrong], any)).rejects.toMatchObject({
        name: 'InvalidEvents',
      });
      await expect(ledger.append(notesStream, [note(1), wrong], any)).rejects.toMatchObject({ name: 'InvalidEvents' });
      expect(await evidenceIn(ledger)).toEqual([]);
      expect(await collect(ledger.readAll())).toEqual([]);
      expect(await ledger.head()).toMatchObject({ events: 0 });
    });

    it.each([
      ['an unknown stream', 'somewhere'],
      ['a stream of another kind', notesStream],
      ['a stream of another run', 'evidence-another-1-0-1'],
      ['a stream of another stage', evidenceStream.replace(/-\d+-0-1$/, '-9-0-1')],
    ])('refuses %s', async (_, stream) => {
      const ledger = await bench().kept('empty');
      await expect(ledger.append(stream, [rollout(1)], any)).rejects.toMatchObject({
        name: 'InvalidEvents',
        kind: 'bad-input',
      });
    });

    it('keeps acknowledged events when the ledger is opened again', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, someNotes(0, 3), any);
      await ledger.append(evidenceStream, someRollouts(0, 10), any);
      await report(ledger);
      const before = (await collect(ledger.readAll())).map((event) => event.digest);
      const again = await bench().reopen(ledger);
      expect((await collect(again.readAll())).map((event) => event.digest)).toEqual(before);
      expect(before.length).toBeGreaterThanOrEqual(13);
      expect(again.id).toBe(ledger.id);
    });

    it('is refused once the ledger is closed', async () => {
      const ledger = await bench().fresh();
      await ledger.close();
      await ledger.close();
      const closed = { name: 'LedgerClosed' };
      await expect(ledger.append(notesStream, [note(1)], any)).rejects.toMatchObject(closed);
      await expect(collect(ledger.readAll())).rejects.toMatchObject(closed);
    });
  });
}

export function bulky(bench: () => Bench): void {
  describe('a large append', () => {
    it('stores the same as appending the events one by one', async () => {
      const atOnce = await bench().fresh();
      const inTurn = await bench().fresh();
      const done = await atOnce.append(evidenceStream, someRollouts(0, many), any);
      expect(done).toMatchObject({ revision: many - 1, existed: new Array(many).fill(false) });
      for (let i = 0; i < many; i += 50) await inTurn.append(evidenceStream, someRollouts(i, 50), any);
      expect(await evidenceIn(atOnce)).toEqual(await evidenceIn(inTurn));
    });

    it.each([0, 700, many - 1])('with invalid event %i stores nothing and names that event', async (index) => {
      const ledger = await bench().fresh();
      const events = someRollouts(0, many).with(index, withBad(index, { reward: 'high' }));
      await expect(ledger.append(evidenceStream, events, any)).rejects.toMatchObject({
        name: 'InvalidEvents',
        issues: [expect.objectContaining({ index, field: 'data.reward' })],
      });
      expect(await ledger.append(evidenceStream, [], any)).toMatchObject({ revision: -1 });
      expect(await ledger.append(evidenceStream, someRollouts(0, many), any)).toMatchObject({ revision: many - 1 });
    });

    it('with the id of another event stores nothing', async () => {
      const ledger = await bench().fresh();
      const other = withBad(900, { reward: 7 });
      await ledger.append(evidenceStream, [other], any);
      await expect(ledger.append(evidenceStream, someRollouts(0, many), any)).rejects.toMatchObject({
        name: 'DuplicateId',
        id: other.id,
        facts: { differs: ['data.reward'] },
      });
      expect(await evidenceIn(ledger)).toHaveLength(1);
    });

    it('sent again succeeds and adds only new events', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 1000), any);
      const again = await ledger.append(evidenceStream, someRollouts(0, many), any);
      expect(again.existed).toEqual(Array.from({ length: many }, (_, i) => i < 1000));
      expect(await evidenceIn(ledger)).toHaveLength(many);
    });

    it('keeps its order among appends that are not awaited', async () => {
      const ledger = await bench().fresh();
      const done = await Promise.all([
        ledger.append(evidenceStream, someRollouts(0, 600), any),
        ledger.append(evidenceStream, someRollouts(600, 10), any),
        ledger.append(notesStream, [note(0)], any),
        ledger.append(evidenceStream, someRollouts(610, 600), any),
      ]);
      expect(done.map(({ revision }) => revision)).toEqual([599, 609, 0, 1209]);
      const ids = (await collect(ledger.read(evidenceStream))).map((event) => event.id);
      expect(ids).toEqual(someRollouts(0, 1210).map((event) => event.id));
    });

    it('in progress when the ledger is closed is stored completely or not at all', async () => {
      const ledger = await bench().fresh();
      const under = ledger.append(evidenceStream, someRollouts(0, many), any).then(
        () => many,
        (error: { name: string }) => (error.name === 'LedgerClosed' ? 0 : Promise.reject(error)),
      );
      await ledger.close();
      const again = await bench().open(ledger.url);
      expect((await again.append(evidenceStream, [], any)).revision + 1).toBe(await under);
    });
  });
}
