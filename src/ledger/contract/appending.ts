// The contract, first part: what an append stores.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { sha256 } from '../identity/ids.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, notesStream, rollout, someRollouts } from './samples.ts';

export function appending(bench: () => Bench): void {
  describe('appending', () => {
    it('gives revisions from 0 and says that nothing was there before', async () => {
      const ledger = await bench().fresh();
      const first = await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      const second = await ledger.append(evidenceStream, someRollouts(3, 2), { expect: 'any' });
      expect(first).toMatchObject({ revision: 2, existed: [false, false, false] });
      expect(second).toMatchObject({ revision: 4, existed: [false, false] });
      const events = await collect(ledger.read(evidenceStream));
      expect(events.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
    });

    it('keeps what was handed in, and the place it was given', async () => {
      const ledger = await bench().fresh();
      const before = Date.now();
      await ledger.append(evidenceStream, [rollout(7)], { expect: 'any' });
      const [event] = await collect(ledger.read(evidenceStream));
      expect(event?.envelope).toEqual({ ...rollout(7), stream: evidenceStream, revision: 0, previous: null });
      expect(event).toMatchObject({ stream: evidenceStream, revision: 0, type: 'RolloutRecorded', id: rollout(7).id });
      expect(event?.recordedMs).toBeGreaterThanOrEqual(before - 1000);
      expect(event?.recordedMs).toBeLessThanOrEqual(Date.now() + 1000);
    });

    it('stores the canonical bytes that it hashed', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(1), note(2)], { expect: 'any' });
      for (const event of await collect(ledger.read(notesStream))) {
        expect(event.body).toBe(canonicalJson(JSON.parse(event.body)));
        expect(event.digest).toBe(sha256(event.body));
      }
    });

    it('chains every event to the one before it, across appends, except in evidence', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(1), note(2)], { expect: 'any' });
      await ledger.append(notesStream, [note(3)], { expect: 'any' });
      await ledger.append(evidenceStream, someRollouts(0, 2), { expect: 'any' });
      const notes = await collect(ledger.read(notesStream));
      expect(notes.map((event) => event.envelope.previous)).toEqual([null, notes[0]?.digest, notes[1]?.digest]);
      const evidence = await collect(ledger.read(evidenceStream));
      expect(evidence.map((event) => event.envelope.previous)).toEqual([null, null]);
    });

    it('takes nothing at all and says where the stream stands', async () => {
      const ledger = await bench().fresh();
      expect(await ledger.append(notesStream, [], { expect: 'any' })).toMatchObject({ revision: -1, existed: [] });
      await ledger.append(notesStream, [note(1)], { expect: 'any' });
      expect(await ledger.append(notesStream, [], { expect: 'any' })).toMatchObject({ revision: 0, existed: [] });
      expect(await collect(ledger.readAll())).toHaveLength(1);
    });

    it('takes no single event for a list of none', async () => {
      const ledger = await bench().kept('empty');
      const single = note(1) as unknown as readonly NewEvent[];
      await expect(ledger.append(notesStream, single, { expect: 'any' })).rejects.toThrow(/a list of events/);
    });

    it('takes the largest event, and refuses one byte more', async () => {
      const ledger = await bench().fresh();
      const { maxEventBytes } = ledger.capabilities;
      await ledger.append(notesStream, [note(0)], { expect: 'any' });
      await ledger.append(notesStream, [note(1, '')], { expect: 'any' });
      const [, empty] = await collect(ledger.read(notesStream));
      // Room for a revision of up to sixteen digits is always kept.
      const room = maxEventBytes - Buffer.byteLength(empty?.body ?? '') - 15;
      const largest = note(2, 'x'.repeat(room));
      await ledger.append(notesStream, [largest], { expect: 'any' });
      const events = await collect(ledger.read(notesStream));
      expect(events.at(-1)?.envelope.data).toEqual(largest.data);
      const tooLarge = note(3, 'x'.repeat(room + 1));
      await expect(ledger.append(notesStream, [tooLarge], { expect: 'any' })).rejects.toMatchObject({
        name: 'EventTooLarge',
        kind: 'bad-input',
      });
    });

    it('gives back every text that Unicode can hold', async () => {
      const ledger = await bench().fresh();
      let index = 0;
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
          const event = note(index++, text);
          const { revision } = await ledger.append(notesStream, [event], { expect: 'any' });
          const [stored] = await collect(ledger.read(notesStream, { from: revision }));
          expect(stored?.envelope.data).toEqual(event.data);
          expect(stored?.digest).toBe(sha256(stored?.body ?? ''));
        }),
        { numRuns: 50 },
      );
    });

    it('refuses a lone surrogate and NaN, naming the event and the field', async () => {
      const ledger = await bench().kept('empty');
      await expect(ledger.append(notesStream, [note(1), note(2, 'a\ud800')], { expect: 'any' })).rejects.toMatchObject({
        name: 'InvalidEvents',
        issues: [{ index: 1, field: 'data.note' }],
      });
      const nan = { ...rollout(1), data: { ...rollout(1).data, reward: Number.NaN } };
      await expect(ledger.append(evidenceStream, [nan], { expect: 'any' })).rejects.toMatchObject({
        name: 'InvalidEvents',
        issues: [expect.objectContaining({ index: 0, field: 'data.reward' })],
      });
    });

    it('refuses a key that hides, however deep, and takes its name as a text', async () => {
      const ledger = await bench().fresh();
      const hidden: unknown = JSON.parse('{"kind":"lake/plan","content":{"a":[{"__proto__":1}]}}');
      const bad = { ...rollout(1), data: { ...rollout(1).data, details: hidden } };
      await expect(ledger.append(evidenceStream, [bad], { expect: 'any' })).rejects.toMatchObject({
        name: 'InvalidEvents',
        issues: [expect.objectContaining({ field: expect.stringContaining('__proto__') })],
      });
      await ledger.append(notesStream, [note(1, '{"__proto__":1}')], { expect: 'any' });
      expect(await ledger.head()).toMatchObject({ events: 1 });
    });

    it('stores nothing of an append in which one event is wrong', async () => {
      const ledger = await bench().kept('empty');
      const wrong = { ...rollout(2), type: 'RolloutRecordet' };
      await expect(ledger.append(evidenceStream, [rollout(1), wrong], { expect: 'any' })).rejects.toMatchObject({
        name: 'InvalidEvents',
      });
      expect(await collect(ledger.readAll())).toEqual([]);
      expect(await ledger.head()).toMatchObject({ events: 0 });
    });

    it.each([
      ['a stream that is none of ours', 'somewhere'],
      ['a stream of another kind', notesStream],
      ['a stream of another run', 'evidence-another-1-0-1'],
      ['a stream of another stage', evidenceStream.replace(/-\d+-0-1$/, '-9-0-1')],
    ])('refuses %s', async (_, stream) => {
      const ledger = await bench().kept('empty');
      await expect(ledger.append(stream, [rollout(1)], { expect: 'any' })).rejects.toMatchObject({
        name: 'InvalidEvents',
        kind: 'bad-input',
      });
    });

    it('keeps what was acknowledged when the ledger is opened again', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 10), { expect: 'any' });
      const before = (await collect(ledger.readAll())).map((event) => event.digest);
      const again = await bench().reopen(ledger);
      expect((await collect(again.readAll())).map((event) => event.digest)).toEqual(before);
      expect(again.id).toBe(ledger.id);
    });

    it('is refused once the ledger is closed', async () => {
      const ledger = await bench().fresh();
      await ledger.close();
      await ledger.close();
      await expect(ledger.append(notesStream, [note(1)], { expect: 'any' })).rejects.toMatchObject({
        name: 'LedgerClosed',
      });
      await expect(collect(ledger.readAll())).rejects.toMatchObject({ name: 'LedgerClosed' });
    });
  });
}
