// Copies between ledgers whose events have different orders: one in one file, and one in two.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../contract/fixture.ts';
import {
  evidenceStream,
  finished,
  note,
  noteIn,
  notesStream,
  rollout,
  runStream,
  seal,
  someRollouts,
  streams,
} from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { CopyBench, eventsOf, streamNames } from './testing/copy-bench.ts';
import { rollout as rolloutOf, spoken, started, textNowhere } from './testing/history.ts';

let bench: CopyBench;
beforeEach(() => {
  bench = new CopyBench();
});
afterEach(() => bench.close());

/** Alternating decisions and evidence, and a seal that covers the evidence. */
async function write(ledger: Ledger): Promise<void> {
  await ledger.append(notesStream, [note(0)], { expect: 'none' });
  await ledger.append(evidenceStream, someRollouts(0, 1200), { expect: 'any' });
  await ledger.append(notesStream, [note(1)], { expect: 0 });
  await ledger.append(evidenceStream, someRollouts(1200, 30), { expect: 'any' });
  const sealed = await new AttemptTree(ledger, evidenceStream).seal();
  await ledger.append(runStream, [seal([sealed])], { expect: 'none' });
}

/** An attempt that is finished and reported, in any kind of ledger. */
async function record(ledger: Ledger, stream: string, events: readonly NewEvent[]): Promise<void> {
  await ledger.append(stream, events, { expect: 'any' });
  const event = finished(await new AttemptTree(ledger, stream).seal());
  await ledger.append(streamOf.work(event.run ?? ''), [event], { expect: 'any' });
}

async function requireEqual(one: Ledger, other: Ledger): Promise<void> {
  const names = await streamNames(one);
  expect(await streamNames(other)).toEqual(names);
  for (const stream of names) expect(await eventsOf(other, stream)).toEqual(await eventsOf(one, stream));
}

describe.each([
  ['one file', 'original', 'two', 'split'],
  ['two files', 'split', 'one', 'whole'],
  ['two files', 'split', 'two others', 'split-copy'],
])('a copy of everything from a ledger in %s', (_, from, __, to) => {
  it(`is the same ledger in ${to === 'whole' ? 'one' : 'two'}: its id and each stream in the same bytes`, async () => {
    const original = await bench.ledger(from);
    await write(original);
    const done = await bench.copy(from, to);
    expect(done).toMatchObject({ copied: 1233, proof: { events: 1233, streams: 3 } });
    const copy = await bench.ledger(to);
    expect(copy.id).toBe(original.id);
    await requireEqual(original, copy);
    expect((await bench.verify(to)).faults).toBe(0);
  });

  it('is updated by the next copy, and both have the same root', async () => {
    const original = await bench.ledger(from);
    await record(original, evidenceStream, someRollouts(0, 5));
    await bench.copy(from, to);
    await original.append(notesStream, [note(0), note(1)], { expect: 'none' });
    await record(original, evidenceStream.replace(/1$/, '2'), someRollouts(5, 5));
    const done = await bench.copy(from, to);
    expect(done).toMatchObject({ copied: 8, proof: { events: 14 } });
    expect(await bench.copy(from, to)).toMatchObject({ copied: 0, proof: done.proof });
    expect(await bench.copy(to, from)).toMatchObject({ copied: 0, proof: done.proof });
  });

  it.each([
    ['an additional stream', streams[0] as string, noteIn(streams[0] as string, 0)],
    ['more of a stream', notesStream, note(1)],
  ])('is refused where the copy has %s: nothing is written', async (___, stream, event) => {
    const original = await bench.ledger(from);
    await original.append(notesStream, [note(0)], { expect: 'none' });
    await record(original, evidenceStream, someRollouts(0, 3));
    await bench.copy(from, to);
    const copy = await bench.ledger(to);
    await copy.append(stream, [event], { expect: 'any' });
    const later = streams[1] as string;
    await original.append(later, [noteIn(later, 0)], { expect: 'none' });
    await expect(bench.copy(from, to)).rejects.toMatchObject({
      name: 'CopyAhead',
      facts: { events: { from: 6, to: 6 } },
    });
    expect(await streamNames(copy)).not.toContain(later);
  });

  it('is refused if both have diverged: nothing is written', async () => {
    const original = await bench.ledger(from);
    await original.append(notesStream, [note(0)], { expect: 'none' });
    await bench.copy(from, to);
    const copy = await bench.ledger(to);
    await copy.append(notesStream, [note(1)], { expect: 0 });
    await original.append(notesStream, [note(2)], { expect: 0 });
    await original.append(evidenceStream, [rollout(0)], { expect: 'any' });
    await expect(bench.copy(from, to)).rejects.toMatchObject({ name: 'Diverged', stream: notesStream, revision: 1 });
    expect((await copy.head()).events).toBe(2);
  });

  it('includes the texts that events name', async () => {
    const original = await bench.ledger(from);
    const text = textNowhere('said in two places');
    await (await bench.blobs(from)).put('said in two places');
    const stream = 'evidence-a-1-0-0';
    await record(original, stream, [rolloutOf(stream, 0), spoken(stream, 1, text)]);
    expect(await bench.copy(from, to)).toMatchObject({ blobs: 1, lostBlobs: [] });
    expect(await (await bench.blobs(to)).has(text.blob)).toBe(true);
  });
});

describe('evidence that no run event reports', () => {
  it('is stored in a split copy but not read there, and not copied from a split original; both are reported', async () => {
    const original = await bench.ledger('original');
    await write(original);
    const lone = 'evidence-b-1-0-0';
    await original.append(lone, [rolloutOf(lone, 0), rolloutOf(lone, 1)], { expect: 'any' });
    expect(await bench.copy('original', 'split')).toMatchObject({ unreported: { streams: 1, events: 2 } });
    expect(await streamNames(await bench.ledger('split'))).not.toContain(lone);
    expect(await bench.copy('split', 'whole')).toMatchObject({ unreported: { streams: 1, events: 2 } });
    const { findings, faults } = await bench.verify('split');
    expect(faults).toBe(0);
    expect(findings).toEqual([expect.objectContaining({ kind: 'unsealed', where: lone })]);
  });

  it('is read once it is sealed in the original and copied again', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    expect(await bench.copy('original', 'split')).toMatchObject({ unreported: { streams: 1, events: 3 } });
    const sealed = await new AttemptTree(original, evidenceStream).seal();
    await original.append(runStream, [seal([sealed])], { expect: 'none' });
    expect(await bench.copy('original', 'split')).toMatchObject({ unreported: { streams: 0, events: 0 } });
    await requireEqual(original, await bench.ledger('split'));
  });
});

describe('a copy of one run', () => {
  it('is accepted by a split copy of everything, which has no total order', async () => {
    const original = await bench.ledger('original');
    await original.append('run-a', [started('a', 'first')], { expect: 'none' });
    await bench.copy('original', 'split');
    await original.append('run-b', [started('b', 'second')], { expect: 'none' });
    await record(original, 'evidence-b-1-0-0', [rolloutOf('evidence-b-1-0-0', 0)]);
    await bench.copy('original', 'split', { run: 'b' });
    const copy = await bench.ledger('split');
    await requireEqual(original, copy);
    expect(await bench.copy('original', 'split')).toMatchObject({ copied: 0 });
  });
});

describe('the remains of a killed copy in a split ledger', () => {
  it('are evidence without its decisions, which the next copy adds', async () => {
    const original = await bench.ledger('original');
    await write(original);
    const copy = await bench.ledger('split', { create: true, createAs: original.id });
    const events = await collect(original.readAll());
    await copy.replicate(events.filter(({ stream }) => stream === evidenceStream));
    expect((await bench.verify('split')).faults).toBe(0);
    expect(await bench.copy('original', 'split')).toMatchObject({ copied: 3 });
    await requireEqual(original, copy);
  });
});
