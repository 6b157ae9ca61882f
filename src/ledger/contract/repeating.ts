// The contract, third part: the same event again. A writer that does not know whether its append arrived sends it again,
// now or after a restart, and nothing is stored twice.
import { describe, expect, it } from 'vitest';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, noteIn, notesStream, rollout, someRollouts, streams } from './samples.ts';

/** False where the id of an event was taken. */
async function isStored(attempt: Promise<unknown>): Promise<boolean> {
  const failed = await attempt.then(
    () => null,
    (error: Error) => error,
  );
  if (failed !== null) expect(failed.name).toBe('DuplicateId');
  return failed === null;
}

export function repeating(bench: () => Bench): void {
  describe('repeating', () => {
    it('an append is a success that stores nothing', async () => {
      const ledger = await bench().fresh();
      const first = await ledger.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
      const again = await ledger.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
      expect(again).toEqual({ ...first, existed: [true, true, true, true, true] });
      expect(await collect(ledger.readAll())).toHaveLength(5);
    });

    it('works after a restart, and from another process that was the first one', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
      const again = await bench().reopen(ledger);
      expect(await again.append(evidenceStream, someRollouts(0, 5), { expect: 'any' })).toMatchObject({
        existed: [true, true, true, true, true],
      });
    });

    it('adds what is new when only part of it was there', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      expect(await ledger.append(evidenceStream, someRollouts(1, 4), { expect: 'any' })).toMatchObject({
        revision: 4,
        existed: [true, true, false, false],
      });
      const ids = (await collect(ledger.read(evidenceStream))).map((event) => event.id);
      expect(ids).toEqual(someRollouts(0, 5).map((event) => event.id));
    });

    it('counts an event that stands twice in one append once', async () => {
      const ledger = await bench().fresh();
      const twice = await ledger.append(notesStream, [note(1), note(1), note(2)], { expect: 'any' });
      expect(twice).toMatchObject({ revision: 1, existed: [false, true, false] });
    });

    it('takes another time and other measurements for the same event, and keeps the first', async () => {
      const ledger = await bench().fresh();
      const first = { ...rollout(1), data: { ...rollout(1).data, measured: { seconds: 1 } } };
      const later = { ...first, at: '2027-01-01T00:00:00Z', data: { ...first.data, measured: { seconds: 2 } } };
      await ledger.append(evidenceStream, [first], { expect: 'any' });
      expect(await ledger.append(evidenceStream, [later], { expect: 'any' })).toMatchObject({ existed: [true] });
      const [stored] = await collect(ledger.read(evidenceStream));
      expect(stored?.envelope.at).toBe(first.at);
    });

    it('refuses an id that is taken by another event, naming the fields, and stores nothing of that append', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(1)], { expect: 'any' });
      const other = { ...note(1, 'something else'), actor: 'human/eve' };
      await expect(ledger.append(notesStream, [note(2), other, note(3)], { expect: 'any' })).rejects.toMatchObject({
        name: 'DuplicateId',
        kind: 'conflict',
        id: other.id,
        facts: { differs: ['actor', 'data.note'], stored: { stream: notesStream, revision: 0 } },
      });
      expect(await collect(ledger.readAll())).toHaveLength(1);
    });

    it('refuses an id that is taken in another stream, or tells of it when it is looked through', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, [rollout(1)], { expect: 'any' });
      const elsewhere = evidenceStream.replace(/1$/, '2');
      const attempt = ledger.append(elsewhere, [rollout(1)], { expect: 'any' });
      if (ledger.capabilities.ids === 'ledger') {
        await expect(attempt).rejects.toMatchObject({ name: 'DuplicateId', facts: { differs: ['stream'] } });
      } else if (await isStored(attempt)) {
        const told: string[] = [];
        for await (const { what } of ledger.audit()) told.push(what);
        expect(told.join()).toContain(rollout(1).id.replaceAll('-', ''));
      }
    });

    it('refused in a stream that it would have begun leaves that stream and others as they are', async () => {
      const ledger = await bench().fresh();
      const [first, second] = streams as [string, string];
      await ledger.append(notesStream, [note(1)], { expect: 'any' });
      const taken = { ...noteIn(first, 1), id: note(1).id };
      if (await isStored(ledger.append(first, [noteIn(first, 0), taken], { expect: 'any' }))) {
        expect(ledger.capabilities.ids).toBe('stream');
        return;
      }
      await ledger.append(second, [noteIn(second, 0)], { expect: 'any' });
      expect(await collect(ledger.read(first))).toEqual([]);
      await ledger.append(first, [noteIn(first, 0)], { expect: 'any' });
      for (const stream of [first, second]) {
        expect((await collect(ledger.read(stream))).map((event) => event.id)).toEqual([noteIn(stream, 0).id]);
      }
    });

    describe('with an exact expectation', () => {
      it('succeeds though the stream has grown by that very append', async () => {
        const ledger = await bench().fresh();
        if (!ledger.capabilities.expectations.includes('revision')) return;
        await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
        await ledger.append(notesStream, [note(2)], { expect: 1 });
        expect(await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' })).toMatchObject({
          revision: 2,
          existed: [true, true],
        });
        expect(await ledger.append(notesStream, [note(2)], { expect: 1 })).toMatchObject({ existed: [true] });
      });

      it('adds the rest when a beginning of it was stored', async () => {
        const ledger = await bench().fresh();
        if (!ledger.capabilities.expectations.includes('revision')) return;
        await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
        expect(await ledger.append(notesStream, [note(0), note(1), note(2)], { expect: 'none' })).toMatchObject({
          revision: 2,
          existed: [true, true, false],
        });
      });

      it('conflicts when somebody else wrote in between', async () => {
        const ledger = await bench().fresh();
        if (!ledger.capabilities.expectations.includes('revision')) return;
        await ledger.append(notesStream, [note(0)], { expect: 'none' });
        await ledger.append(notesStream, [note(7)], { expect: 0 });
        await expect(ledger.append(notesStream, [note(0), note(1)], { expect: 'none' })).rejects.toMatchObject({
          name: 'WrongRevision',
          actual: 1,
        });
      });
    });
  });
}
