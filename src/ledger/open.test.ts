// Plugin events, from opening to verification.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../../schemas/define-event.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import { streamOf } from '../../schemas/streams.ts';
import { collect } from './contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout, run } from './contract/samples.ts';
import { BlobTarget } from './copy/blob-copy.ts';
import { copyLedger } from './copy/copy.ts';
import type { Ledger, OpenOptions } from './ledger.ts';
import { openLedger } from './open.ts';
import { treeOf } from './seal/span.ts';
import { verifyLedger, verifyOpened } from './verify/verify.ts';

const celsius = z.object({ gpu: z.int(), celsius: z.number() });
const before = defineEvent({
  type: 'acme.GpuThrottled',
  summary: 'A GPU became too hot.',
  in: ['x', 'notes'],
  data: celsius,
});
const now = defineEvent({
  ...{ type: 'acme.GpuThrottled', summary: 'A GPU became too hot.', in: ['x', 'notes'] },
  data: z.object({ gpu: z.int(), kelvin: z.number() }),
  before: [{ data: celsius, upcast: ({ gpu, celsius }) => ({ gpu, kelvin: Number(celsius) + 273.15 }) }],
});

const stream = streamOf.x('gpu');

function throttled(index: number, version = 1): NewEvent {
  const temperature = version === 1 ? { celsius: 90 + index } : { kelvin: 365 + index };
  const id = `5f0e4a52-6c1b-4b7e-9d0a-3c2b1a0000${String(index).padStart(2, '0')}`;
  const envelope = { id, type: 'acme.GpuThrottled', version, at: '2026-01-02T03:04:05Z', actor: 'producer/monitor' };
  return { ...envelope, run, stage: 1, causes: [], data: { gpu: index, ...temperature } };
}

const folder = mkdtempSync(join(tmpdir(), 'icecore-own-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

/** In each kind of embedded ledger: one file, and two parts. */
const kinds = [
  ['a file', (at: string) => `sqlite:${at}.db`],
  ['two parts', (at: string) => `split:sqlite:${at}-run.db+sqlite:${at}-evidence.db`],
] as const;

describe.each(kinds)('a ledger in %s', (_, urlAt) => {
  async function opened(): Promise<{ ledger: Ledger; again: (options?: OpenOptions) => Promise<Ledger> }> {
    const url = urlAt(join(folder, String(made++)));
    const ledger = await openLedger(url, { create: true, types: [before] });
    return { ledger, again: (options = {}) => openLedger(url, options) };
  }

  it('accepts events of types registered at opening, each chained to the one before it', async () => {
    const { ledger } = await opened();
    const { revision } = await ledger.append(stream, [throttled(0), throttled(1)], { expect: 'none' });
    expect(revision).toBe(1);
    await ledger.append(notesStream, [throttled(2), note(0)], { expect: 'any' });
    const [first, second] = await collect(ledger.read(stream));
    expect(second?.envelope.previous).toBe(first?.digest);
    expect(await ledger.append(stream, [throttled(1)], { expect: 'any' })).toMatchObject({ existed: [true] });
    await expect(ledger.append(stream, [throttled(3)], { expect: 'none' })).rejects.toMatchObject({
      name: 'WrongRevision',
    });
    await ledger.close();
  });

  it('refuses undeclared data, wrong streams, and unregistered types', async () => {
    const { ledger, again } = await opened();
    const wrong = { ...throttled(0), data: { gpu: 1, celsius: 'hot' } };
    const issuesOf = async (into: Ledger, at: string, event: NewEvent): Promise<unknown> =>
      await into.append(at, [event], { expect: 'any' }).catch((fault: { issues: readonly object[] }) => fault.issues);
    expect(await issuesOf(ledger, stream, wrong)).toMatchObject([{ field: 'data.celsius' }]);
    expect(await issuesOf(ledger, evidenceStream, throttled(0))).toMatchObject([{ field: 'stream' }]);
    expect(await issuesOf(ledger, stream, rollout(0))).toMatchObject([{ field: 'stream' }]);
    await ledger.close();
    const plain = await again();
    expect(await issuesOf(plain, stream, throttled(0))).toMatchObject([{ field: 'type' }]);
    expect(await collect(plain.readAll())).toEqual([]);
    await plain.close();
  });

  it('reads registered events in their registered version, and unregistered ones as opaque', async () => {
    const { ledger, again } = await opened();
    await ledger.append(stream, [throttled(0)], { expect: 'none' });
    await ledger.close();
    const newer = await again({ types: [now] });
    await newer.append(stream, [throttled(1, 2)], { expect: 0 });
    const followed = async () => {
      for await (const delivery of newer.subscribe()) if (delivery.kind === 'events') return delivery.events;
      return [];
    };
    for (const events of [await collect(newer.read(stream)), await collect(newer.readAll()), await followed()]) {
      const read = events.filter((event) => event.stream === stream);
      expect(read.map((event) => event.dataOf(now))).toEqual([
        { gpu: 0, kelvin: 363.15 },
        { gpu: 1, kelvin: 366 },
      ]);
      expect(read.map(({ isKnown, reading }) => [isKnown, reading.known])).toEqual([
        [true, true],
        [true, true],
      ]);
    }
    await newer.close();
    const plain = await again({ readOnly: true });
    const opaque = await collect(plain.read(stream));
    expect(opaque.map(({ isKnown, reading }) => [isKnown, reading.known])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(opaque[0]?.dataOf(before)).toEqual({ gpu: 0, celsius: 90 });
    await plain.close();
  });

  it('is verified with the content of registered events', async () => {
    const { ledger, again } = await opened();
    await ledger.append(stream, [throttled(0), throttled(1)], { expect: 'none' });
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    const options = { blobs: null, run: null, head: null };
    expect(await verifyOpened(ledger, options)).toMatchObject({ faults: 0, tally: { events: 3, opaque: 0 } });
    await ledger.close();
    const plain = await again({ readOnly: true });
    expect(await verifyOpened(plain, options)).toMatchObject({ faults: 0, tally: { events: 3, opaque: 2 } });
    await plain.close();
    const stricter = defineEvent({
      type: 'acme.GpuThrottled',
      summary: '',
      data: z.object({ gpu: z.int().max(0), celsius: z.number() }),
    });
    const other = await again({ readOnly: true, types: [stricter] });
    const { findings } = await verifyOpened(other, options);
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'malformed', where: `${stream}@1` }));
    await other.close();
  });

  it('is verified by several threads, which lack the registered schemas', async () => {
    const { ledger } = await opened();
    const root = (await treeOf(ledger, { stream })).root();
    await ledger.append(stream, [throttled(0), throttled(1)], { expect: 'none' });
    const causes = [{ stream: evidenceStream, from: 0, to: 2, root }];
    await ledger.append(stream, [{ ...throttled(2), causes }], { expect: 1 });
    await ledger.close();
    const stricter = defineEvent({
      ...{ type: 'acme.GpuThrottled', summary: 'A GPU became too hot.', in: ['x', 'notes'] },
      data: z.object({ gpu: z.int().min(1), celsius: z.number() }),
    });
    let threads = 0;
    const count = (): void => void threads++;
    process.on('worker', count);
    try {
      const options = { blobs: null, run: null, head: null, types: [stricter] };
      const one = await verifyLedger(ledger.url, { ...options, threads: 1 });
      expect(threads).toBe(0);
      expect(await verifyLedger(ledger.url, { ...options, threads: 2 })).toEqual(one);
      expect(threads).toBe(2);
      expect(one).toMatchObject({ tally: { events: 3, opaque: 0 } });
      expect(one.findings.map(({ kind, where }) => `${kind} ${where}`)).toEqual([
        `malformed ${stream}@0`,
        `cited-elsewhere ${stream}@2`,
      ]);
    } finally {
      process.off('worker', count);
    }
  });

  it('reports streams of registered types as left out of a copy of one run', async () => {
    const { ledger } = await opened();
    await ledger.append(stream, [throttled(0)], { expect: 'none' });
    await ledger.append(notesStream, [note(0), throttled(1)], { expect: 'none' });
    const to = await openLedger(`sqlite:${join(folder, `${made++}.db`)}`, { create: true });
    const toBlobs = await BlobTarget.at(`folder:${join(folder, 'blobs')}`);
    const copied = await copyLedger({ from: ledger, to, fromBlobs: null, toBlobs }, { run });
    expect(copied).toMatchObject({ copied: 2, ownStreams: [stream] });
    for (const open of [toBlobs, ledger, to]) await open.close();
  });

  it('is copied with events of these types, registered or not', async () => {
    const { ledger, again } = await opened();
    await ledger.append(stream, [throttled(0)], { expect: 'none' });
    await ledger.close();
    const from = await again({ readOnly: true });
    const to = await openLedger(`sqlite:${join(folder, `${made++}.db`)}`, { create: true, createAs: from.id });
    const toBlobs = await BlobTarget.at(`folder:${join(folder, 'blobs')}`);
    const whole = await copyLedger({ from, to, fromBlobs: null, toBlobs }, { run: null });
    expect(whole.ownStreams).toEqual([]);
    expect((await collect(to.read(stream))).map(({ digest }) => digest)).toEqual(
      (await collect(from.read(stream))).map(({ digest }) => digest),
    );
    for (const open of [toBlobs, from, to]) await open.close();
  });
});
