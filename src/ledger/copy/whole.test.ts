import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, noteIn, notesStream, someRollouts, streams } from '../contract/samples.ts';
import { makeHead } from '../seal/head.ts';
import type { CopyStep } from './copy.ts';
import { CopyBench, eventsOf, streamNames } from './testing/copy-bench.ts';

let bench: CopyBench;
beforeEach(() => {
  bench = new CopyBench();
});
afterEach(() => bench.close());

describe('a copy of everything in a new place', () => {
  it('is the same ledger: its id, order, bytes, recording times, cursors and head', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 2500), { expect: 'any' });
    await original.append(notesStream, [note(0)], { expect: 'any' });
    await original.append(evidenceStream, someRollouts(2500, 10), { expect: 'any' });
    const done = await bench.copy('original', 'copy');
    const copy = await bench.ledger('copy');
    expect(copy.id).toBe(original.id);
    expect(await eventsOf(copy)).toEqual(await eventsOf(original));
    const cursors = async (ledger: typeof copy) => (await collect(ledger.readAll())).map(({ cursor }) => cursor);
    expect(await cursors(copy)).toEqual(await cursors(original));
    const { events, root } = await makeHead(original);
    expect(done).toMatchObject({ copied: 2511, lostBlobs: [], parent: null, proof: { events, root, streams: null } });
    expect((await bench.verify('copy')).faults).toBe(0);
  });

  it('of an empty ledger is empty', async () => {
    await bench.ledger('original');
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 0, proof: { events: 0 } });
  });

  it('has a blob store only if events name blobs', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0)], { expect: 'any' });
    await bench.copy('original', 'copy');
    expect(existsSync(`${bench.folder}/copy.blobs`)).toBe(false);
  });

  it('again copies nothing and proves everything', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0), note(1)], { expect: 'any' });
    const { proof } = await bench.copy('original', 'copy');
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 0, proof });
  });

  it('is updated with new events, and with nothing else', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 1200), { expect: 'any' });
    await bench.copy('original', 'copy');
    await original.append(notesStream, [note(0)], { expect: 'any' });
    await original.append(evidenceStream, someRollouts(1200, 7), { expect: 'any' });
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 8, proof: { events: 1208 } });
    expect(await eventsOf(await bench.ledger('copy'))).toEqual(await eventsOf(original));
  });

  it('can itself be copied, and copied back', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0)], { expect: 'any' });
    await bench.copy('original', 'copy');
    await bench.copy('copy', 'restored');
    expect(await eventsOf(await bench.ledger('restored'))).toEqual(await eventsOf(original));
  });

  it('reports its progress', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 2500), { expect: 'any' });
    const steps: CopyStep[] = [];
    await bench.copy('original', 'copy', {
      onProgress: async (step) => {
        steps.push(step);
      },
    });
    const copying = steps.filter(({ doing }) => doing === 'copying');
    expect(copying.map(({ done, of }) => `${done} of ${of}`)).toEqual(['1000 of 2500', '2000 of 2500', '2500 of 2500']);
    expect(steps.at(-1)).toEqual({ doing: 'proving', done: 2500, of: 2500 });
  });

  it('that is interrupted keeps its progress, and resumes from there', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 2500), { expect: 'any' });
    const stop = new AbortController();
    const stopped = bench.copy('original', 'copy', {
      signal: stop.signal,
      onProgress: async () => stop.abort('SIGINT'),
    });
    await expect(stopped).rejects.toBe('SIGINT');
    expect((await (await bench.ledger('copy')).head()).events).toBe(1000);
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 1500, proof: { events: 2500 } });
  });
});

describe('a signal to stop a copy', () => {
  it.each([
    ['while it copies', 'copying'],
    ['while it proves', 'proving'],
  ])('%s stops it, even if nothing makes the copy wait', async (_, doing) => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 9000), { expect: 'any' });
    const stop = new AbortController();
    const steps: string[] = [];
    const onProgress = async (step: CopyStep) => {
      if (step.doing === doing && !steps.includes(doing)) setImmediate(() => stop.abort('SIGINT'));
      steps.push(step.doing);
    };
    await expect(bench.copy('original', 'copy', { signal: stop.signal, onProgress })).rejects.toBe('SIGINT');
    expect(steps.filter((step) => step === doing)).toHaveLength(1);
  });
});

describe('a copy while others write to the original', () => {
  it('has the events that existed when it began, in order', async () => {
    const original = await bench.ledger('original');
    await original.append(evidenceStream, someRollouts(0, 3000), { expect: 'any' });
    let added = 0;
    const { copied } = await bench.copy('original', 'copy', {
      onProgress: async () => {
        await original.append(notesStream, [note(added++)], { expect: 'any' });
        await original.append(evidenceStream, someRollouts(3000 + added * 2, 2), { expect: 'any' });
      },
    });
    expect(copied).toBe(3000);
    expect(added).toBeGreaterThan(3);
    const copy = await bench.ledger('copy');
    expect(await eventsOf(copy)).toEqual((await eventsOf(original)).slice(0, 3000));
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: added * 3 });
    expect(await eventsOf(copy)).toEqual(await eventsOf(original));
  });

  it('has no events that were added during the comparison', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0)], { expect: 'any' });
    await bench.copy('original', 'copy');
    await original.append(notesStream, [note(1)], { expect: 'any' });
    let added = 2;
    const onProgress = async ({ doing }: CopyStep) => {
      if (doing === 'comparing') await original.append(notesStream, [note(added++)], { expect: 'any' });
    };
    expect(await bench.copy('original', 'copy', { onProgress })).toMatchObject({ copied: 1, proof: { events: 2 } });
    expect(added).toBe(3);
  });

  it('into a ledger with other events has the events of each stream that existed when it began', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0), note(1)], { expect: 'any' });
    await original.append(evidenceStream, someRollouts(0, 1500), { expect: 'any' });
    await bench.ledger('other');
    let added = 2;
    const { proof } = await bench.copy('original', 'other', {
      onProgress: async () => {
        await original.append(notesStream, [note(added++)], { expect: 'any' });
      },
    });
    expect(proof).toMatchObject({ events: 1502, streams: 2 });
    expect(await eventsOf(await bench.ledger('other'), notesStream)).toHaveLength(2);
  });
});

describe('a copy into a ledger with other events', () => {
  it('adds the streams of the original, each in its order, and keeps the id of the ledger', async () => {
    const original = await bench.ledger('original');
    for (const index of [0, 1]) {
      for (const stream of streams) await original.append(stream, [noteIn(stream, index)], { expect: 'any' });
    }
    const other = await bench.ledger('other');
    await other.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    expect(await bench.copy('original', 'other')).toMatchObject({ copied: 6, proof: { events: 6, streams: 3 } });
    expect(other.id).not.toBe(original.id);
    expect((await eventsOf(other)).slice(3)).toEqual(await eventsOf(original));
    expect(await streamNames(other)).toEqual([evidenceStream, ...streams]);
    expect((await bench.verify('other')).faults).toBe(0);
  });

  it('again copies nothing, then only new events, even if the other ledger has continued separately', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0)], { expect: 'any' });
    const other = await bench.ledger('other');
    const { proof } = await bench.copy('original', 'other');
    expect(await bench.copy('original', 'other')).toMatchObject({ copied: 0, proof });
    await other.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    await original.append(notesStream, [note(1)], { expect: 'any' });
    const more = await bench.copy('original', 'other', { extend: true });
    expect(more).toMatchObject({ copied: 1, proof: { events: 2 } });
    expect(await eventsOf(other, notesStream)).toEqual(await eventsOf(original));
  });

  it('allows it to have more of a stream than the original', async () => {
    const original = await bench.ledger('original');
    await original.append(notesStream, [note(0)], { expect: 'any' });
    const other = await bench.ledger('other');
    await bench.copy('original', 'other');
    await other.append(notesStream, [note(7)], { expect: 0 });
    expect(await bench.copy('original', 'other')).toMatchObject({ copied: 0, proof: { events: 1 } });
  });
});
