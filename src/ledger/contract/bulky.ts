// The contract on appends of a thousand events and more, which a store may treat in ways of their own: nobody can tell.
import { describe, expect, it } from 'vitest';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, notesStream, rollout, someRollouts } from './samples.ts';

const many = 1500;

export function bulky(bench: () => Bench): void {
  describe('a large append', () => {
    it('stores just what the same events one by one would leave', async () => {
      const atOnce = await bench().fresh();
      const inTurn = await bench().fresh();
      const done = await atOnce.append(evidenceStream, someRollouts(0, many), { expect: 'any' });
      expect(done).toMatchObject({ revision: many - 1, existed: new Array(many).fill(false) });
      for (let i = 0; i < many; i += 50) {
        await inTurn.append(evidenceStream, someRollouts(i, 50), { expect: 'any' });
      }
      const digests = async (ledger: typeof atOnce): Promise<string[]> =>
        (await collect(ledger.read(evidenceStream))).map((event) => event.digest);
      expect(await digests(atOnce)).toEqual(await digests(inTurn));
    });

    it.each([0, 700, many - 1])('with event %i wrong stores nothing and names that event', async (index) => {
      const ledger = await bench().fresh();
      const events = someRollouts(0, many);
      events[index] = { ...rollout(index), data: { ...rollout(index).data, reward: 'high' } };
      await expect(ledger.append(evidenceStream, events, { expect: 'any' })).rejects.toMatchObject({
        name: 'InvalidEvents',
        issues: [expect.objectContaining({ index, field: 'data.reward' })],
      });
      expect(await ledger.head()).toMatchObject({ events: 0 });
      expect(await ledger.append(evidenceStream, someRollouts(0, many), { expect: 'any' })).toMatchObject({
        revision: many - 1,
      });
    });

    it('with an id that another event has stores nothing', async () => {
      const ledger = await bench().fresh();
      const other = { ...rollout(900), data: { ...rollout(900).data, reward: 7 } };
      await ledger.append(evidenceStream, [other], { expect: 'any' });
      await expect(ledger.append(evidenceStream, someRollouts(0, many), { expect: 'any' })).rejects.toMatchObject({
        name: 'DuplicateId',
        id: other.id,
        facts: { differs: ['data.reward'] },
      });
      expect(await ledger.head()).toMatchObject({ events: 1 });
    });

    it('sent again is a success that adds only what is new', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 1000), { expect: 'any' });
      const again = await ledger.append(evidenceStream, someRollouts(0, many), { expect: 'any' });
      expect(again.existed).toEqual(Array.from({ length: many }, (_, i) => i < 1000));
      expect(await ledger.head()).toMatchObject({ events: many });
    });

    it('keeps its place among others that are not waited for', async () => {
      const ledger = await bench().fresh();
      const done = await Promise.all([
        ledger.append(evidenceStream, someRollouts(0, 600), { expect: 'any' }),
        ledger.append(evidenceStream, someRollouts(600, 10), { expect: 'any' }),
        ledger.append(notesStream, [note(0)], { expect: 'any' }),
        ledger.append(evidenceStream, someRollouts(610, 600), { expect: 'any' }),
      ]);
      expect(done.map(({ revision }) => revision)).toEqual([599, 609, 0, 1209]);
      const ids = (await collect(ledger.read(evidenceStream))).map((event) => event.id);
      expect(ids).toEqual(someRollouts(0, 1210).map((event) => event.id));
    });

    it('under way when the ledger is closed is stored whole or not at all', async () => {
      const ledger = await bench().fresh();
      const under = ledger.append(evidenceStream, someRollouts(0, many), { expect: 'any' }).then(
        () => many,
        (error: { name: string }) => (error.name === 'LedgerClosed' ? 0 : Promise.reject(error)),
      );
      await ledger.close();
      const again = await bench().open(ledger.url);
      expect(await again.head()).toMatchObject({ events: await under });
    });
  });
}
