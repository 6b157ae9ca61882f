// Malicious bundles: whatever they contain, nothing in the ledger is erased, hidden or written into.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
import { noteIn } from '../../../ledger/contract/samples.ts';
import {
  answered,
  claimed,
  keyOf,
  redacted,
  rollout,
  spoken,
  started,
  textIn,
} from '../../../ledger/copy/testing/history.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import type { Finding } from '../../../ledger/verify/findings.ts';
import { verifyOpened } from '../../../ledger/verify/verify.ts';
import { partsOf } from './parts.ts';
import { putTogether, takenApart } from './testing/forging.ts';
import {
  add,
  bytesOf,
  emptyPlace,
  eventsIn,
  open,
  type Place,
  placeWithRuns,
  refusal as refused,
} from './testing/place.ts';

const own = streamOf.evidence('own', 1, 0, 0);

/** A local run with a task and a text. */
async function ownPlace(): Promise<Place & { readonly said: string; readonly task: string }> {
  const place = await emptyPlace();
  await add(place, streamOf.run('own'), started('own', 'my run'));
  const said = await textIn(place.blobs, 'said in a run of my own');
  const task = await textIn(place.blobs, 'a task, which is no text');
  const event = spoken(own, 0, said);
  await add(place, own, { ...event, data: { ...event.data, task: { blob: task } } });
  return { ...place, said: said.blob, task: task.blob };
}

/** A bundle of run `z` with whatever a stranger recorded. */
async function stranger(record: (place: Place) => Promise<void>): Promise<Buffer> {
  const place = await emptyPlace();
  await add(place, streamOf.run('z'), started('z', 'a gift'));
  await record(place);
  return await bytesOf(place, 'z');
}

/** The bundle with all events of a ledger, and with a manifest and a list that match them. */
async function withEventsOf(bundle: Buffer, ledger: Ledger, more: object = {}): Promise<Buffer> {
  const { manifest, members } = await takenApart(bundle);
  const parts: { name: string; bytes: Buffer }[] = [];
  for await (const { name, text } of partsOf(ledger.readAll(), () => undefined)) parts.push({ name, bytes: text });
  let streams = 0;
  for await (const ends of ledger.streams()) streams += ends.length;
  const blobs = members.filter(({ name }) => name.startsWith('blobs/'));
  return await putTogether({ manifest: { ...manifest, streams, ...more }, members: [...blobs, ...parts] });
}

async function foundIn({ ledger, blobs }: Place): Promise<readonly Finding[]> {
  return (await verifyOpened(ledger, { blobs: blobs.url, run: null, head: null })).findings;
}

const notes = streamOf.notes('z');
const evidence = streamOf.evidence('z', 1, 0, 0);

describe('a redaction in a bundle', () => {
  it.each([
    ['names an event of another run', (blob: string) => ({ event: spoken(own, 0, {}).id, stream: own, blob })],
    [
      'names an event that does not exist',
      (blob: string) => ({ event: rollout(evidence, 9).id, stream: evidence, blob }),
    ],
    [
      'names an event of its own run with the wrong blob',
      (blob: string) => ({ event: rollout(evidence, 0).id, stream: evidence, blob }),
    ],
  ])('is ignored and erases nothing if it %s', async (_, claim) => {
    const here = await ownPlace();
    const bundle = await stranger(async (place) => {
      await add(place, evidence, rollout(evidence, 0));
      await add(place, notes, redacted(notes, 0, claim(here.said)), redacted(notes, 1, claim(here.task)));
    });
    const { copied, checked } = await open(here, bundle, { erase: true });
    expect(copied.redacted).toEqual({ erased: [], erasable: [], left: [] });
    expect(checked.ignored).toBe(2);
    expect([await here.blobs.has(here.said), await here.blobs.has(here.task)]).toEqual([true, true]);
    const found = await foundIn(here);
    const about = found.filter(({ kind }) => /redact|erased|blob/.test(kind));
    expect(about.map(({ kind, where }) => `${kind} ${where}`)).toEqual([
      `redaction-ignored ${notes}@0`,
      `redaction-ignored ${notes}@1`,
    ]);
    for (const { says } of about) expect(says).not.toMatch(/icecore event redact|redact again/);
  });

  it.each(['said', 'task'] as const)(
    'does not erase a blob that a run in this ledger also references: %s',
    async (which) => {
      const here = await ownPlace();
      const blob = here[which];
      const bundle = await stranger(async (place) => {
        await add(place, evidence, spoken(evidence, 0, { blob, bytes: 1 }));
        await add(place, notes, redacted(notes, 0, { event: spoken(evidence, 0, {}).id, stream: evidence, blob }));
      });
      const { copied } = await open(here, bundle, { erase: true });
      expect(copied.redacted).toMatchObject({
        erased: [],
        erasable: [],
        left: [{ blob, why: `${own}@0 names the same blob` }],
      });
      expect(await here.blobs.has(blob)).toBe(true);
      expect((await foundIn(here)).filter(({ kind }) => kind === 'blob-not-erased')).toEqual([]);
      expect((await foundIn(here)).filter(({ where }) => where === `${own}@0`)).toEqual([]);
    },
  );

  it('of a local run is imported only with extend, and does not erase by itself', async () => {
    const here = await ownPlace();
    const copy = await emptyPlace();
    await open(copy, await bytesOf(here, 'own'));
    const into = streamOf.notes('own');
    await add(copy, into, redacted(into, 0, { event: spoken(own, 0, {}).id, stream: own, blob: here.said }));
    const bundle = await bytesOf(copy, 'own');
    await expect(open(here, bundle, { erase: true })).rejects.toThrow(/already, and it would add events: 1 to run own/);
    const { copied } = await open(here, bundle, { extend: true });
    expect(copied.redacted).toMatchObject({ erased: [], erasable: [{ blob: here.said }] });
    expect(await here.blobs.has(here.said)).toBe(true);
  });

  it('of a recorded answer erases nothing even with erase, because other runs may use the answer', async () => {
    const here = await ownPlace();
    const prompt = await textIn(here.blobs, 'a question that was paid for');
    const stream = streamOf.answer(keyOf('q'));
    await add(here, stream, answered('q', prompt));
    const bundle = await stranger(async (place) => {
      await place.blobs.put('a question that was paid for');
      await add(place, stream, answered('q', prompt));
      const claim = { event: answered('q').id, stream, blob: prompt.blob, field: 'data.prompt' };
      const note = noteIn(notes, 0);
      await add(place, notes, { ...note, causes: [{ event: answered('q').id }] });
      await add(place, stream, redacted(stream, 0, claim));
    });
    await open(here, bundle, { erase: true, extend: true });
    expect(await here.blobs.has(prompt.blob)).toBe(true);
  });
});

describe('a bundle with events outside its run', () => {
  it.each([
    ['decisions of another run', 'run-own', () => started('own', 'not mine')],
    ['evidence of another run', own, () => rollout(own, 7)],
    ['notes of another run', 'notes-own', () => noteIn('notes-own', 3)],
    ['claims on another run', 'work-own', () => claimed('own')],
    ['an answer that no event uses', streamOf.answer(keyOf('poison')), () => answered('poison')],
  ])('is refused: %s', async (_, stream, event) => {
    const bundle = await stranger(async () => undefined);
    const all = await emptyPlace();
    await add(all, 'run-z', started('z', 'a gift'));
    await add(all, stream, event());
    expect(await refused(await withEventsOf(bundle, all.ledger))).toMatch(
      /^BundleRefused: .*(?:it is no part of its run|an answer that nothing in it rests on)/,
    );
  });

  it('is refused if its manifest names an ancestor that its events do not', async () => {
    const bundle = await stranger(async () => undefined);
    const all = await emptyPlace();
    await add(all, 'run-z', started('z', 'a gift'));
    await add(all, 'run-own', started('own', 'my run'));
    await add(all, 'notes-own', noteIn('notes-own', 3));
    const forged = await withEventsOf(bundle, all.ledger, { ancestors: [{ run: 'own', name: 'my run' }] });
    expect(await refused(forged)).toMatch(/manifest.json: it names as ancestors: own; its events: none/);
  });

  it('is refused if it would extend a local ancestor without extend', async () => {
    const here = await ownPlace();
    const copy = await emptyPlace();
    await open(copy, await bytesOf(here, 'own'));
    const digest = [...(await eventsIn(copy.ledger))].find(([place]) => place === 'run-own@0')?.[1].split(' ')[1] ?? '';
    await add(copy, 'run-z', started('z', 'a gift', { run: 'own', stage: 1, revision: 0, digest }));
    await add(copy, 'work-own', claimed('own'));
    const before = await eventsIn(here.ledger);
    await expect(open(here, await bytesOf(copy, 'z'))).rejects.toThrow(/it would add events: 1 to run own/);
    expect(await eventsIn(here.ledger)).toEqual(before);
  });

  it('is refused before any write if one of its event ids is taken by a local event', async () => {
    const here = await ownPlace();
    const taken = spoken(own, 0, {}).id;
    const bundle = await stranger(async (place) => {
      await place.blobs.put('a text before it');
      await add(place, evidence, spoken(evidence, 0, await textIn(place.blobs, 'a text before it')));
      await add(place, evidence, { ...rollout(evidence, 1), id: taken });
    });
    const [events, blobs] = [await eventsIn(here.ledger), readdirSync(join(here.folder, 'blobs'), { recursive: true })];
    await expect(open(here, bundle)).rejects.toMatchObject({ name: 'IdTaken' });
    expect(await eventsIn(here.ledger)).toEqual(events);
    expect(readdirSync(join(here.folder, 'blobs'), { recursive: true })).toEqual(blobs);
  });

  it('is imported next to a run of the same name without changing it', async () => {
    const here = await ownPlace();
    const before = await eventsIn(here.ledger);
    const place = await emptyPlace();
    await add(place, 'run-z', started('z', 'my run'));
    await open(here, await bytesOf(place, 'z'));
    for (const [where, event] of before) expect((await eventsIn(here.ledger)).get(where)).toBe(event);
  });

  it('is refused without any write if a local run of the same id started differently', async () => {
    const here = await ownPlace();
    const place = await emptyPlace();
    await add(place, 'run-own', started('own', 'not mine'));
    const bundle = await bytesOf(place, 'own');
    const before = await eventsIn(here.ledger);
    for (const extend of [false, true])
      await expect(open(here, bundle, { extend })).rejects.toMatchObject({ name: 'Diverged' });
    expect(await eventsIn(here.ledger)).toEqual(before);
  });
});

describe('a blob in a bundle', () => {
  it('is refused if its bytes do not match the digest in its name', async () => {
    const bundle = await takenApart(await bytesOf(await placeWithRuns(), 'a'));
    const members = bundle.members.map((member) =>
      member.name.startsWith('blobs/') ? { ...member, bytes: Buffer.from('other bytes') } : member,
    );
    expect(await refused(await putTogether({ ...bundle, members }))).toMatch(/^BundleRefused: .*its digest is/);
  });

  it('leaves an existing blob of the same digest unchanged', async () => {
    const here = await ownPlace();
    const bundle = await stranger(async (place) => {
      await add(place, evidence, spoken(evidence, 0, await textIn(place.blobs, 'said in a run of my own')));
    });
    await open(here, bundle);
    expect(Buffer.from(await here.blobs.get(here.said)).toString()).toBe('said in a run of my own');
  });
});

describe('a refused bundle', () => {
  it('is refused before a ledger is opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-bundle-'));
    const url = `sqlite:${join(folder, 'new.db')}`;
    const bundle = await stranger(async () => undefined);
    const all = await emptyPlace();
    await add(all, 'run-z', started('z', 'a gift'));
    await add(all, 'run-own', started('own', 'not mine'));
    expect(await refused(await withEventsOf(bundle, all.ledger))).toMatch(/^BundleRefused/);
    const ledger = await openLedger(url, { create: true });
    expect((await ledger.head()).events).toBe(0);
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
