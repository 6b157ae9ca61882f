import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
import { noteIn } from '../../../ledger/contract/samples.ts';
import { redacted, spoken, started, textIn, textNowhere } from '../../../ledger/copy/testing/history.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { eventAt } from '../../../ledger/ledger.ts';
import { makeHead } from '../../../ledger/seal/head.ts';
import { Tampering } from '../../../ledger/sqlite/testing/tamper.ts';
import { verifyOpened } from '../../../ledger/verify/verify.ts';
import { putTogether, takenApart } from './testing/forging.ts';
import { add, bytesOf, emptyPlace, eventsIn, open, type Place, placeWithRuns } from './testing/place.ts';

const everything = { run: null, head: null } as const;

/** The events whose places match a pattern. */
function of(events: ReadonlyMap<string, string>, wanted: RegExp): ReadonlyMap<string, string> {
  return new Map([...events].filter(([place]) => wanted.test(place)));
}

async function faultsIn({ ledger, blobs }: Place): Promise<readonly string[]> {
  const { findings } = await verifyOpened(ledger, { ...everything, blobs: blobs.url });
  return findings.map(({ kind, where }) => `${kind} ${where}`);
}

describe('a bundle', () => {
  it('imports exactly the events, texts and answers of its run, as stored', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const { copied, manifest } = await open(to, await bytesOf(from, 'the a'));
    const [there, here] = [await eventsIn(from.ledger), await eventsIn(to.ledger)];
    const answer = [...here.keys()].find((place) => place.startsWith('answer-')) ?? '';
    expect(here).toEqual(of(there, new RegExp(`^(?:[a-z]+-a[-@]|${answer.slice(0, -2)}@)`)));
    expect(copied).toMatchObject({ copied: 10, blobs: 2, lostBlobs: [] });
    expect(manifest).toMatchObject({ run: { run: 'a', name: 'the a' }, events: 10, blobs: 2, lost: 0, streams: 5 });
    expect(await faultsIn(to)).toEqual(await faultsIn(from).then((all) => all.filter((one) => one.includes('-a'))));
  });

  it('has the root of a ledger that contains only its events', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const { manifest } = await open(to, await bytesOf(from, 'a'));
    expect((await makeHead(to.ledger)).root).toBe(manifest.root);
  });

  it('is byte-identical when exported again after another run has grown', async () => {
    const place = await placeWithRuns();
    const before = await bytesOf(place, 'a');
    await add(place, streamOf.notes('b'), noteIn(streamOf.notes('b'), 7));
    expect((await bytesOf(place, 'a')).equals(before)).toBe(true);
  });

  it('imports nothing the second time, and leaves no unfinished files', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const bundle = await bytesOf(from, 'a');
    await open(to, bundle);
    expect((await open(to, bundle)).copied).toMatchObject({ copied: 0, blobs: 0 });
    expect((await open(from, bundle)).copied).toMatchObject({ copied: 0, blobs: 0 });
    expect(readdirSync(to.folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('adds later events of a run only with extend, also in a ledger with other runs', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    await add(to, streamOf.notes('own'), noteIn(streamOf.notes('own'), 0));
    await open(to, await bytesOf(from, 'a'));
    await add(from, streamOf.notes('a'), noteIn(streamOf.notes('a'), 1));
    const later = await bytesOf(from, 'a');
    await expect(open(to, later)).rejects.toThrow(
      /has parts of the bundle already, and it would add events: 1 to run a/,
    );
    const { copied, extensions } = await open(to, later, { extend: true });
    expect({ copied: copied.copied, extensions }).toEqual({ copied: 1, extensions: [{ of: 'run a', events: 1 }] });
    expect((await open(to, await bytesOf(from, 'b'))).copied).toMatchObject({ copied: 10, blobs: 1 });
    expect(await faultsIn(to)).toEqual(await faultsIn(from));
  });

  it('is refused without any write if the local run has diverged', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const bundle = await bytesOf(from, 'a');
    await add(to, streamOf.notes('a'), noteIn(streamOf.notes('a'), 5));
    const before = await eventsIn(to.ledger);
    await expect(open(to, bundle)).rejects.toThrow(/notes-a@0 is another event here/);
    expect(await eventsIn(to.ledger)).toEqual(before);
  });

  it('is refused by the ledger it was exported from if that no longer has the events', async () => {
    const from = await placeWithRuns();
    const bundle = await takenApart(await bytesOf(from, 'a'));
    const to = await emptyPlace();
    const asIfFromThere = await putTogether(bundle, { manifest: { ledger: to.ledger.id } });
    await expect(open(to, asIfFromThere)).rejects.toThrow(/is the ledger the bundle was made from/);
    expect((await to.ledger.head()).events).toBe(0);
  });

  it('of a fork includes the history of its parent', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const digest = (await eventAt(from.ledger, { stream: 'run-a', revision: 1 }))?.digest ?? '';
    await add(from, 'run-c', started('c', 'the fork', { run: 'a', stage: 1, revision: 1, digest }));
    const { manifest } = await open(to, await bytesOf(from, 'the fork'));
    expect(manifest).toMatchObject({ ancestors: [{ run: 'a', name: 'the a' }], missing: [], events: 11 });
    expect((await eventsIn(to.ledger)).size).toBe(11);
  });

  it('of a fork names the parent whose history is missing', async () => {
    const from = await emptyPlace();
    const parent = { run: 'gone', stage: 1, revision: 3, digest: '0'.repeat(64) };
    await add(from, 'run-c', started('c', 'the fork', parent));
    const { manifest } = await open(await emptyPlace(), await bytesOf(from, 'c'));
    expect(manifest).toMatchObject({ ancestors: [], missing: ['gone'] });
  });

  it('reports lost blobs and imports the rest', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const stream = streamOf.evidence('a', 1, 0, 0);
    const lost = textNowhere('nobody kept this');
    await add(from, stream, spoken(stream, 4, lost));
    const { manifest, copied } = await open(to, await bytesOf(from, 'a'));
    expect(manifest).toMatchObject({ lost: 1, blobs: 2, events: 11 });
    expect(copied.lostBlobs).toEqual([lost.blob]);
  });

  const redactedHere = async (from: Place, run: string): Promise<string> => {
    const { blob } = await textIn(from.blobs, 'said by both');
    const [stream, notes] = [streamOf.evidence(run, 1, 0, 0), streamOf.notes(run)];
    const event = (await eventAt(from.ledger, { stream, revision: 2 }))?.id ?? '';
    await add(from, notes, redacted(notes, 1, { event, stream, blob }));
    return blob;
  };

  it('includes a text that only another run redacted, without that redaction', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const blob = await redactedHere(from, 'b');
    const { manifest } = await open(to, await bytesOf(from, 'a'));
    expect(manifest).toMatchObject({ lost: 0, blobs: 2 });
    expect(await to.blobs.has(blob)).toBe(true);
    expect((await faultsIn(to)).filter((fault) => fault.startsWith('redact'))).toEqual([]);
  });

  it('includes the redaction of a text but not the redacted text', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    const blob = await redactedHere(from, 'a');
    const { manifest } = await open(to, await bytesOf(from, 'a'));
    expect(manifest).toMatchObject({ lost: 0, blobs: 1 });
    expect(await to.blobs.has(blob)).toBe(false);
    expect(await faultsIn(to)).toContain('redacted evidence-a-1-0-0@2');
  });

  it('lists later redactions when imported again, and erases the texts only with erase', async () => {
    const [from, to] = [await placeWithRuns(), await emptyPlace()];
    await open(to, await bytesOf(from, 'a'));
    const blob = await redactedHere(from, 'a');
    const bytes = await bytesOf(from, 'a');
    expect((await open(to, bytes, { extend: true })).copied.redacted).toMatchObject({
      erased: [],
      erasable: [{ blob }],
    });
    expect(await to.blobs.has(blob)).toBe(true);
    expect((await open(to, bytes, { erase: true })).copied.redacted).toMatchObject({ erased: [{ blob }] });
    expect(await to.blobs.has(blob)).toBe(false);
  });

  it('cannot be made of a run with damaged events', async () => {
    const from = await placeWithRuns();
    const tampering = new Tampering(join(from.folder, 'ledger.db'));
    const [first] = tampering.bodies();
    tampering.rewrite(1, Buffer.from(String(first?.body).replace('the a', 'the A')), first?.digest ?? Buffer.alloc(32));
    tampering.close();
    await expect(bytesOf(from, 'a')).rejects.toThrow(/run-a@0: its bytes hash to/);
  });

  it('cannot be made of a run with a broken chain', async () => {
    const from = await placeWithRuns();
    const tampering = new Tampering(join(from.folder, 'ledger.db'));
    const [first] = tampering.bodies();
    const body = Buffer.from(String(first?.body).replace('the a', 'the A'));
    tampering.rewrite(1, body, Buffer.from(sha256(body), 'hex'));
    tampering.close();
    await expect(bytesOf(from, 'a')).rejects.toThrow(/run-a@1: it does not continue the event before it/);
  });
});
