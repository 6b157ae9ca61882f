// The contract: expectations of the stream's end, and repeated events. A writer that does not know whether its append arrived
// sends it again, immediately or after a restart, and nothing is stored twice.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Expectation } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, noteIn, notesStream, rollout, someRollouts, streams } from './samples.ts';

const any = { expect: 'any' } as const;

/** False: the id of an event was taken. */
async function isStored(attempt: Promise<unknown>): Promise<boolean> {
  const failed = await attempt.then(
    () => null,
    (error: Error) => error,
  );
  if (failed !== null) expect(failed.name).toBe('DuplicateId');
  return failed === null;
}

const idsIn = async (ledger: Ledger, stream: string): Promise<string[]> =>
  (await collect(ledger.read(stream))).map((event) => event.id);

export function repeating(bench: () => Bench): void {
  describe('expecting', () => {
    /** The number of events in the stream, the expectation, and whether it holds. */
    const cases: readonly (readonly [number, Expectation, boolean])[] = [
      [0, 'any', true],
      [0, 'none', true],
      [0, 'exists', false],
      [0, 0, false],
      [0, -1, true],
      [2, 'any', true],
      [2, 'none', false],
      [2, 'exists', true],
      [2, 1, true],
      [2, 0, false],
      [2, 2, false],
      [2, -1, false],
    ];

    it.each(cases)('of a stream with %i events, `%s`: %s', async (there, expected, holds) => {
      const ledger = await bench().kept('a stream each');
      const stream = streamOf.notes(`with${there}expects${expected}`.replace('-', 'minus'));
      for (let i = 0; i < there; i++) await ledger.append(stream, [noteIn(stream, i)], any);
      const attempt = ledger.append(stream, [noteIn(stream, 10)], { expect: expected });
      if (holds) expect(await attempt).toMatchObject({ revision: there, existed: [false] });
      else {
        const conflict = { name: 'WrongRevision', kind: 'conflict', stream, expected, actual: there - 1 };
        await expect(attempt).rejects.toMatchObject(conflict);
        expect(await collect(ledger.read(stream))).toHaveLength(there);
      }
    });

    it('checks the expectation of an empty append too, and accepts the revision in the error', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
      await expect(ledger.append(notesStream, [], { expect: 'none' })).rejects.toMatchObject({ actual: 1 });
      const conflict: unknown = await ledger.append(notesStream, [note(2)], { expect: 0 }).catch((e: unknown) => e);
      const { actual } = conflict as { actual: number };
      expect(await ledger.append(notesStream, [], { expect: actual })).toMatchObject({ revision: 1 });
      expect(await ledger.append(notesStream, [note(2)], { expect: actual })).toMatchObject({ revision: 2 });
    });

    it('sees appends of another opener of the ledger', async () => {
      const one = await bench().fresh();
      const other = await bench().open(one.url);
      await one.append(notesStream, [note(0)], { expect: 'none' });
      await other.append(notesStream, [note(1)], { expect: 0 });
      await expect(one.append(notesStream, [note(2)], { expect: 0 })).rejects.toMatchObject({ actual: 1 });
      await one.append(notesStream, [note(2)], { expect: 1 });
      expect(await idsIn(other, notesStream)).toEqual([0, 1, 2].map((i) => note(i).id));
    });

    it('`any` of a new attempt needs no search for it; other expectations are refused if attempts have to be reported', async () => {
      const ledger = await bench().fresh();
      const refused = ledger.capabilities.attempts === 'reported';
      for (const expected of ['none', -1] as const) {
        const stream = streamOf.evidence('expecting', 2, expected === 'none' ? 0 : 1, 1);
        const appending = ledger.append(stream, [], { expect: expected });
        if (refused) await expect(appending).rejects.toMatchObject({ name: 'UnsupportedByStore' });
        else expect(await appending).toMatchObject({ revision: -1 });
      }
      const begun = await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any', isNew: true });
      expect(begun).toMatchObject({ revision: 2, existed: [false, false, false] });
      expect(await ledger.append(evidenceStream, someRollouts(3, 2), any)).toMatchObject({ revision: 4 });
    });
  });

  describe('repeating', () => {
    it('an append succeeds and stores nothing, even after a restart', async () => {
      const ledger = await bench().fresh();
      const { place: _, ...first } = await ledger.append(evidenceStream, someRollouts(0, 5), any);
      const existed = new Array(5).fill(true);
      expect(await ledger.append(evidenceStream, someRollouts(0, 5), any)).toMatchObject({ ...first, existed });
      const again = await bench().reopen(ledger);
      expect(await again.append(evidenceStream, someRollouts(0, 5), any)).toMatchObject({ revision: 4, existed });
      expect(await idsIn(again, evidenceStream)).toHaveLength(5);
    });

    it('adds the new events if only a part existed', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 3), any);
      expect(await ledger.append(evidenceStream, someRollouts(1, 4), any)).toMatchObject({
        revision: 4,
        existed: [true, true, false, false],
      });
      expect(await idsIn(ledger, evidenceStream)).toEqual(someRollouts(0, 5).map((event) => event.id));
    });

    it('stores an event once if one append contains it twice', async () => {
      const ledger = await bench().fresh();
      const twice = await ledger.append(notesStream, [note(1), note(1), note(2)], any);
      expect(twice).toMatchObject({ revision: 1, existed: [false, true, false] });
    });

    it('ignores differences in time and measurements, and keeps the first event', async () => {
      const ledger = await bench().fresh();
      const first = { ...rollout(1), data: { ...rollout(1).data, measured: { seconds: 1 } } };
      const later = { ...first, at: '2027-01-01T00:00:00Z', data: { ...first.data, measured: { seconds: 2 } } };
      await ledger.append(evidenceStream, [first], any);
      expect(await ledger.append(evidenceStream, [later], any)).toMatchObject({ existed: [true] });
      const [stored] = await collect(ledger.read(evidenceStream));
      expect(stored?.envelope.at).toBe(first.at);
    });

    it('refuses an id of another event, naming the fields that differ, and stores nothing of that append', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(1)], any);
      const other = { ...note(1, 'something else'), actor: 'human/eve' };
      await expect(ledger.append(notesStream, [note(2), other, note(3)], any)).rejects.toMatchObject({
        name: 'DuplicateId',
        kind: 'conflict',
        id: other.id,
        facts: { differs: ['actor', 'data.note'], stored: { stream: notesStream, revision: 0 } },
      });
      expect(await collect(ledger.readAll())).toHaveLength(1);
    });

    it('refuses an id of an event in another stream, which does not change, or reports it in an audit', async () => {
      const ledger = await bench().fresh();
      const [first, second] = streams as [string, string];
      await ledger.append(notesStream, [note(1)], any);
      const taken = { ...noteIn(first, 1), id: note(1).id };
      const stored = await isStored(ledger.append(first, [noteIn(first, 0), taken], any));
      if (ledger.capabilities.ids === 'ledger') expect(stored).toBe(false);
      if (stored) {
        const found = [];
        for await (const { what } of ledger.audit()) found.push(what);
        expect(found.join()).toContain(note(1).id.replaceAll('-', ''));
        return;
      }
      await ledger.append(second, [noteIn(second, 0)], any);
      expect(await collect(ledger.read(first))).toEqual([]);
      await ledger.append(first, [noteIn(first, 0)], any);
      for (const stream of [first, second]) expect(await idsIn(ledger, stream)).toEqual([noteIn(stream, 0).id]);
    });

    it('an append with an exact expectation succeeds although it has extended the stream, and adds new events', async () => {
      const ledger = await bench().fresh();
      await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
      const longer = await ledger.append(notesStream, [note(0), note(1), note(2)], { expect: 'none' });
      expect(longer).toMatchObject({ revision: 2, existed: [true, true, false] });
      expect(await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' })).toMatchObject({
        revision: 2,
        existed: [true, true],
      });
      expect(await ledger.append(notesStream, [note(2)], { expect: 1 })).toMatchObject({ existed: [true] });
      await ledger.append(notesStream, [note(7)], { expect: 2 });
      await expect(ledger.append(notesStream, [note(2), note(3)], { expect: 1 })).rejects.toMatchObject({
        name: 'WrongRevision',
        actual: 3,
      });
    });
  });

  describe('any sequence of appends', () => {
    it('gives the same result as the model', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          const ledger = await bench().fresh();
          const model = new Model();
          for (const one of steps) {
            const stream = streams[one.stream] as string;
            const events = one.events.map((index) => noteIn(stream, index));
            const done = await ledger.append(stream, events, { expect: one.expect }).then(
              ({ revision, existed }): Outcome => ({ revision, existed }),
              (error: { name: string }) => error.name,
            );
            expect(done).toEqual(model.append(one));
          }
          for (const [index, stream] of streams.entries())
            expect(await idsIn(ledger, stream)).toEqual(
              (model.streams[index] as number[]).map((event) => noteIn(stream, event).id),
            );
          await bench().close();
        }),
        { numRuns: tries(bench().some(60)) },
      );
    });
  });
}
interface Step {
  readonly stream: number;
  readonly events: readonly number[];
  readonly expect: Expectation;
}

const step: fc.Arbitrary<Step> = fc.record({
  stream: fc.nat({ max: streams.length - 1 }),
  events: fc.array(fc.nat({ max: 30 }), { maxLength: 5 }),
  expect: fc.oneof(
    fc.constantFrom('any' as const, 'none' as const, 'exists' as const),
    fc.integer({ min: -1, max: 8 }),
  ),
});

type Outcome = { readonly revision: number; readonly existed: readonly boolean[] } | 'WrongRevision';

/** A model of the contract in memory: streams as lists of event numbers. */
class Model {
  readonly streams: number[][] = streams.map(() => []);

  append({ stream, events, expect: expected }: Step): Outcome {
    const there = this.streams[stream] as number[];
    const known = events.map((event) => there.indexOf(event));
    if (!this.#holds(there, events, known, expected)) return 'WrongRevision';
    const existed = events.map((event) => {
      if (there.includes(event)) return true;
      there.push(event);
      return false;
    });
    return { revision: there.length - 1, existed };
  }

  #holds(
    there: readonly number[],
    events: readonly number[],
    known: readonly number[],
    expected: Expectation,
  ): boolean {
    if (expected === 'any') return true;
    if (expected === 'exists') return there.length > 0;
    let reached = expected === 'none' ? -1 : expected;
    if (reached === there.length - 1) return true;
    let leading = 0;
    while (leading < events.length && reached < there.length - 1) {
      const at = known[leading] as number;
      if (at < 0 || at > reached + 1) break;
      reached = Math.max(reached, at);
      leading++;
    }
    return reached === there.length - 1 || (leading === events.length && leading > 0);
  }
}
