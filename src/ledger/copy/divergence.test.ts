import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidenceStream, note, noteIn, notesStream, someRollouts, streams } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { CopyBench, eventsOf } from './testing/copy-bench.ts';
import { answered, keyOf, proposal, started } from './testing/history.ts';

let bench: CopyBench;
let original: Ledger;
beforeEach(async () => {
  bench = new CopyBench();
  original = await bench.ledger('original');
  await original.append(notesStream, [note(0), note(1)], { expect: 'any' });
  await original.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
});
afterEach(() => bench.close());

/** Expects this refusal, and an unchanged target. */
async function refused(copying: Promise<unknown>, target: Ledger, error: object): Promise<void> {
  const before = await eventsOf(target);
  await expect(copying).rejects.toMatchObject({ kind: 'conflict', ...error });
  expect(await eventsOf(target)).toEqual(before);
}

describe('a copy of everything that has diverged', () => {
  it('is refused if it has more events than the original', async () => {
    await bench.copy('original', 'copy');
    const copy = await bench.ledger('copy');
    await copy.append(notesStream, [note(7)], { expect: 1 });
    const message = expect.stringMatching(/copy\.db has 8 events, the 7 of .*original\.db and more: it was written to/);
    await refused(bench.copy('original', 'copy'), copy, {
      name: 'CopyAhead',
      message,
      facts: { events: { from: 7, to: 8 } },
    });
  });

  it('is refused if the original was restored from an older state', async () => {
    await bench.copy('original', 'earlier');
    await original.append(notesStream, [note(2)], { expect: 'any' });
    await bench.copy('original', 'copy');
    await refused(bench.copy('earlier', 'copy'), await bench.ledger('copy'), { name: 'CopyAhead' });
  });

  it('is refused if the original continued too, with the first event that differs', async () => {
    await bench.copy('original', 'copy');
    const copy = await bench.ledger('copy');
    await copy.append(evidenceStream, someRollouts(50, 2), { expect: 'any' });
    await original.append(notesStream, [note(2)], { expect: 'any' });
    const place = (stream: string) => expect.stringContaining(stream);
    const facts = { event: 8, original: place(`${notesStream}@2`), copy: place(`${evidenceStream}@5`) };
    await refused(bench.copy('original', 'copy'), copy, { name: 'NotACopy', facts });
  });

  it('is refused if both have the same events in another order', async () => {
    await bench.copy('original', 'copy');
    const copy = await bench.ledger('copy');
    const both: [string, number][] = [
      [streams[0] ?? '', 0],
      [streams[1] ?? '', 0],
    ];
    for (const [stream, index] of both) await original.append(stream, [noteIn(stream, index)], { expect: 'any' });
    for (const [stream, index] of both.toReversed())
      await copy.append(stream, [noteIn(stream, index)], { expect: 'any' });
    await original.append(notesStream, [note(2)], { expect: 'any' });
    await refused(bench.copy('original', 'copy'), copy, { name: 'NotACopy', facts: { event: 8 } });
  });

  it('still accepts a copy of one run', async () => {
    await bench.copy('original', 'copy');
    const copy = await bench.ledger('copy');
    await copy.append('run-own', [started('own', 'own')], { expect: 'any' });
    await original.append('run-a', [started('a', 'a')], { expect: 'any' });
    expect(await bench.copy('original', 'copy', { run: 'a' })).toMatchObject({ copied: 1 });
    expect(await eventsOf(copy, 'run-a')).toEqual(await eventsOf(original, 'run-a'));
  });
});

describe('a copy into another ledger', () => {
  it('is refused before anything is written if it has other evidence in the same place', async () => {
    const other = await bench.ledger('other');
    await other.append(evidenceStream, someRollouts(90, 3), { expect: 'any' });
    await refused(bench.copy('original', 'other'), other, {
      name: 'Diverged',
      message: expect.stringContaining(`${evidenceStream}@0 is another event here`),
    });
  });

  it('is refused if it uses an id for another event', async () => {
    const other = await bench.ledger('other');
    const [stream = ''] = streams;
    await other.append(stream, [{ ...noteIn(stream, 0), id: note(1).id }], { expect: 'any' });
    const refusal = { name: 'IdTaken', message: expect.stringContaining(note(1).id) };
    await refused(bench.copy('original', 'other'), other, refusal);
  });

  it('is refused if it has another answer to the same question', async () => {
    const stream = `answer-${keyOf('q')}`;
    await original.append(stream, [answered('q')], { expect: 'any' });
    await original.append('run-a', [started('a', 'a'), proposal('a', 1, ['q'])], { expect: 'any' });
    const other = await bench.ledger('other');
    await other.append(stream, [{ ...answered('q'), actor: 'engineer/other' }], { expect: 'any' });
    await refused(bench.copy('original', 'other', { run: 'a' }), other, { name: 'Diverged' });
  });
});

describe('an append to a copy in progress', () => {
  it('is detected at the end, when the order differs from the original', async () => {
    await original.append(evidenceStream, someRollouts(5, 2000), { expect: 'any' });
    let isFirst = true;
    const copying = bench.copy('original', 'copy', {
      onProgress: async () => {
        if (!isFirst) return;
        isFirst = false;
        const copy = await bench.ledger('copy');
        await copy.append(streams[0] ?? '', [noteIn(streams[0] ?? '', 0)], { expect: 'any' });
      },
    });
    await expect(copying).rejects.toMatchObject({ name: 'NotEqual', kind: 'damaged', facts: { where: 'event 1001' } });
  });

  it('is accepted if it comes from another copy of the same ledger', async () => {
    await original.append(evidenceStream, someRollouts(5, 2000), { expect: 'any' });
    const both = await Promise.all([bench.copy('original', 'copy'), bench.copy('original', 'copy')]);
    expect(both[0]?.proof).toEqual(both[1]?.proof);
    expect((both[0]?.copied ?? 0) + (both[1]?.copied ?? 0)).toBe(2007);
  });
});
