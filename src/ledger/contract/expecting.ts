// The contract, second part: what a writer may expect of the stream's end.
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import type { Expectation } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { type Bench, collect } from './fixture.ts';
import { note, noteIn, notesStream } from './samples.ts';

function understands(ledger: Ledger, expected: Expectation): boolean {
  return ledger.capabilities.expectations.includes(typeof expected === 'number' ? 'revision' : expected);
}

export function expecting(bench: () => Bench): void {
  describe('expecting', () => {
    /** A stream with so many events, the expectation, and whether it holds. */
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
      for (let i = 0; i < there; i++) await ledger.append(stream, [noteIn(stream, i)], { expect: 'any' });
      const attempt = ledger.append(stream, [noteIn(stream, 10)], { expect: expected });
      if (!understands(ledger, expected)) {
        await expect(attempt).rejects.toMatchObject({ name: 'UnsupportedByStore' });
      } else if (holds) {
        expect(await attempt).toMatchObject({ revision: there, existed: [false] });
      } else {
        await expect(attempt).rejects.toMatchObject({
          name: 'WrongRevision',
          kind: 'conflict',
          stream,
          expected,
          actual: there - 1,
        });
        expect(await collect(ledger.read(stream))).toHaveLength(there);
      }
    });

    it('holds an append of nothing to its expectation too', async () => {
      const ledger = await bench().fresh();
      if (!understands(ledger, 'none')) return;
      await ledger.append(notesStream, [note(0)], { expect: 'none' });
      await expect(ledger.append(notesStream, [], { expect: 'none' })).rejects.toMatchObject({ actual: 0 });
      expect(await ledger.append(notesStream, [], { expect: 0 })).toMatchObject({ revision: 0 });
    });

    it('lets a writer go on with the revision that a conflict told it', async () => {
      const ledger = await bench().fresh();
      if (!understands(ledger, 0)) return;
      await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
      const conflict: unknown = await ledger.append(notesStream, [note(2)], { expect: 0 }).catch((e: unknown) => e);
      const { actual } = conflict as { actual: number };
      expect(await ledger.append(notesStream, [note(2)], { expect: actual })).toMatchObject({ revision: 2 });
    });

    it('sees what another opener of the ledger has appended', async () => {
      const one = await bench().fresh();
      if (!understands(one, 'none')) return;
      const other = await bench().open(one.url);
      await one.append(notesStream, [note(0)], { expect: 'none' });
      await other.append(notesStream, [note(1)], { expect: 0 });
      await expect(one.append(notesStream, [note(2)], { expect: 0 })).rejects.toMatchObject({ actual: 1 });
      await one.append(notesStream, [note(2)], { expect: 1 });
      expect((await collect(other.read(notesStream))).map((event) => event.id)).toEqual(
        [0, 1, 2].map((i) => note(i).id),
      );
    });
  });
}
