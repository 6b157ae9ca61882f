import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Blobs, keyOf as fileOf } from '../blobs/blobs.ts';
import { BlobMissing } from '../blobs/errors.ts';
import { sha256 } from '../identity/ids.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { StoredEvent } from '../stored.ts';
import { copyLedger, scopesOf } from './copy.ts';
import { CopyBench, digestsIn } from './testing/copy-bench.ts';
import {
  answered,
  keyOf,
  type Made,
  proposal,
  redacted,
  rollout,
  spoken,
  textIn,
  textNowhere,
} from './testing/history.ts';

const evidence = 'evidence-a-1-0-0';
const elsewhere = 'evidence-b-1-0-0';

let bench: CopyBench;
let original: Ledger;
let texts: Blobs;
beforeEach(async () => {
  bench = new CopyBench();
  original = await bench.ledger('original');
  texts = await bench.blobs('original');
});
afterEach(() => bench.close());

const add = (stream: string, ...events: Made[]) => original.append(stream, events, { expect: 'any' });

/** A rollout that names a text, and the text's digest. */
async function say(stream: string, index: number, text: string): Promise<string> {
  const completion = await textIn(texts, text);
  await add(stream, spoken(stream, index, completion));
  return completion.blob;
}

function damage(name: string, blob: string): void {
  writeFileSync(join(bench.folder, `${name}.blobs`, fileOf(blob)), 'not what it was');
}

async function redact(into: string, stream: string, index: number, blob: string): Promise<void> {
  await add(into, redacted(into, index, { event: spoken(stream, index, {}).id, stream, blob }));
  await texts.erase(blob);
}

/** As recorded by a newer icecore: the same event of an unknown type, in a ledger called `newer`. */
async function replicateAs(event: StoredEvent, type: string, data: object): Promise<void> {
  const body = canonicalJson({ ...event.envelope, type, data });
  const { stream, revision, filedId, recordedMs, cursor } = event;
  const newer = await bench.ledger('newer');
  await newer.replicate([new StoredEvent(stream, revision, type, filedId, recordedMs, sha256(body), body, cursor)]);
  for (const { blob } of Object.values(data as Record<string, { blob: string }>)) {
    if (await texts.has(blob)) await (await bench.blobs('newer')).put(texts.read(blob));
  }
}

/** Copies everything; the test handles new blobs. */
async function copyPutting(to: Ledger, put: (bytes: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void> {
  const toBlobs = { has: async () => false, erase: async () => {}, put };
  await copyLedger({ from: original, to, fromBlobs: texts, toBlobs }, { run: null });
}

const large = 'a long story. '.repeat(200_000);

describe('the blobs of a copy', () => {
  it('are the blobs that its events name, large and small, each once', async () => {
    const [first, second] = [await say(evidence, 0, 'first'), await say(evidence, 1, large)];
    await say(evidence, 2, 'first');
    await texts.put('named by nobody');
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 3, blobs: 2, lostBlobs: [] });
    const copied = await bench.blobs('copy');
    expect(await digestsIn(copied)).toEqual([first, second].sort());
    expect(Buffer.from(await copied.get(second)).toString()).toBe(large);
    expect((await bench.verify('copy')).faults).toBe(0);
  });

  it('of one run are the blobs that its events and answers name', async () => {
    const own = await say(evidence, 0, 'of run a');
    await say(elsewhere, 0, 'of run b');
    const prompt = await textIn(texts, 'what now?');
    await add(streamOf.answer(keyOf('now?')), answered('now?', prompt));
    await add('run-a', proposal('a', 1, ['now?']));
    await bench.copy('original', 'copy', { run: 'a' });
    expect(await digestsIn(await bench.blobs('copy'))).toEqual([own, prompt.blob].sort());
  });

  it('include blobs that events of a newer icecore name; other digests in them are not reported as lost', async () => {
    const known = await textIn(texts, 'in words of tomorrow');
    const data = { scroll: known, seal: textNowhere('no blob') };
    await add(evidence, rollout(evidence, 0));
    for await (const [event] of original.read(evidence))
      await replicateAs(event as StoredEvent, 'ScrollRecorded', data);
    expect(await bench.copy('newer', 'copy')).toMatchObject({ copied: 1, blobs: 1, lostBlobs: [] });
    expect(await digestsIn(await bench.blobs('copy'))).toEqual([known.blob]);
  });

  it('are copied again only if they are missing', async () => {
    const [kept, gone] = [await say(evidence, 0, 'kept'), await say(evidence, 1, 'gone')];
    await bench.copy('original', 'copy');
    expect(await bench.copy('original', 'copy')).toMatchObject({ blobs: 0 });
    await (await bench.blobs('copy')).erase(gone);
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 0, blobs: 1 });
    expect(await digestsIn(await bench.blobs('copy'))).toEqual([kept, gone].sort());
  });

  it('are durable before the events that name them', async () => {
    const blobs = [await say(evidence, 0, 'first'), await say(evidence, 1, 'second')];
    const target = await openLedger(bench.url('copy'), { create: true, createAs: original.id });
    const store = await bench.blobs('copy');
    const eventsWhenPut: number[] = [];
    await copyPutting(target, async (bytes) => {
      await store.put(bytes);
      eventsWhenPut.push((await target.head()).events);
    });
    await target.close();
    expect(eventsWhenPut).toEqual(blobs.map(() => 0));
  });

  it('that may not be durable yet are put again', async () => {
    const blob = await say(evidence, 0, 'half there');
    const store = await bench.blobs('copy');
    await store.put('half there');
    damage('copy', blob);
    await bench.copy('original', 'copy');
    expect(Buffer.from(await store.get(blob)).toString()).toBe('half there');
  });
});

describe('a blob that is missing in the original', () => {
  it('is distinguished from a blob missing in the target, which stops the copy', async () => {
    const blob = await say(evidence, 0, 'a text');
    const target = await bench.ledger('copy');
    const copying = copyPutting(target, async () => {
      throw new BlobMissing(blob, 'the store of the copy');
    });
    await expect(copying).rejects.toMatchObject({ name: 'BlobMissing' });
    expect((await target.head()).events).toBe(0);
  });

  it('is reported as lost each time, and everything else is copied', async () => {
    const [sound, spoilt] = [await say(evidence, 0, 'sound'), await say(evidence, 1, large)];
    damage('original', spoilt);
    const missing = textNowhere('never put');
    await add(evidence, spoken(evidence, 2, missing), spoken(evidence, 3, missing));
    const done = await bench.copy('original', 'copy');
    expect(done).toMatchObject({ copied: 4, blobs: 1 });
    expect([...done.lostBlobs].sort()).toEqual([spoilt, missing.blob].sort());
    expect(await digestsIn(await bench.blobs('copy'))).toEqual([sound]);
    expect((await bench.copy('original', 'copy')).lostBlobs).toHaveLength(2);
  });

  it('is copied by the next copy once it is restored', async () => {
    const missing = textNowhere('found again');
    await add(evidence, spoken(evidence, 0, missing));
    await bench.copy('original', 'copy');
    await texts.put('found again');
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 0, blobs: 1, lostBlobs: [] });
  });

  it('is lost also if the original has no blob store', async () => {
    const bare = await bench.ledger('bare');
    const missing = textNowhere('nowhere');
    await bare.append(evidence, [spoken(evidence, 0, missing)], { expect: 'any' });
    expect((await bench.copy('bare', 'copy')).lostBlobs).toEqual([missing.blob]);
    expect(existsSync(join(bench.folder, 'copy.blobs'))).toBe(false);
  });

  it('is not lost if the copy has it', async () => {
    const missing = textNowhere('only in the copy');
    await add(evidence, spoken(evidence, 0, missing));
    await bench.copy('original', 'copy');
    await (await bench.blobs('copy')).put('only in the copy');
    expect((await bench.copy('original', 'copy')).lostBlobs).toEqual([]);
  });
});

describe('a blob that was erased in the original', () => {
  it('before the first copy is not reported as lost', async () => {
    await redact('notes-a', evidence, 0, await say(evidence, 0, 'private'));
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 2, blobs: 0, lostBlobs: [] });
    expect((await bench.verify('copy')).faults).toBe(0);
  });

  const asked = { erasing: { isAsked: true, scopes: null } };
  const askedOf = (run: string) => ({ run, erasing: { isAsked: true, scopes: scopesOf(run) } });

  it('after the first copy is listed by the next, which erases it only on request', async () => {
    const [redacted, kept] = [await say(evidence, 0, 'private'), await say(evidence, 1, 'public')];
    await bench.copy('original', 'copy');
    const copied = await bench.blobs('copy');
    const { digest: strange } = await copied.put('not of this ledger');
    await redact('notes-a', evidence, 0, redacted);
    const text = { blob: redacted, stream: evidence, field: 'data.completion', by: 'notes-a@0' };
    expect(await bench.copy('original', 'copy')).toMatchObject({
      copied: 1,
      lostBlobs: [],
      redacted: { erased: [], erasable: [text], left: [] },
    });
    expect(await digestsIn(copied)).toEqual([redacted, kept, strange].sort());
    expect((await bench.copy('original', 'copy', asked)).redacted).toMatchObject({ erased: [text], erasable: [] });
    expect(await digestsIn(copied)).toEqual([kept, strange].sort());
    expect((await bench.verify('copy')).faults).toBe(0);
  });

  it('is copied, and kept in the copy, if another run names it as well', async () => {
    const shared = await say(evidence, 0, 'both say this');
    await say(elsewhere, 0, 'both say this');
    await add(
      'notes-b',
      redacted('notes-b', 0, { event: spoken(elsewhere, 0, {}).id, stream: elsewhere, blob: shared }),
    );
    const first = await bench.copy('original', 'copy', asked);
    expect(first).toMatchObject({ blobs: 1, lostBlobs: [] });
    expect(first.redacted).toMatchObject({ erased: [], left: [{ why: `${evidence}@0 names the same blob` }] });
    expect(await digestsIn(await bench.blobs('copy'))).toEqual([shared]);
    expect((await bench.verify('copy')).faults).toBe(0);
  });

  it('for one run is reported as lost for another run that names it', async () => {
    const shared = await say(evidence, 0, 'both say this');
    await say(elsewhere, 0, 'both say this');
    await redact('notes-b', elsewhere, 0, shared);
    expect((await bench.copy('original', 'copy')).lostBlobs).toEqual([shared]);
  });

  it('by a redaction of another run is lost, and kept if the copy has it', async () => {
    const redacted = await say(evidence, 0, 'of run a');
    await bench.copy('original', 'copy');
    await redact('notes-b', evidence, 0, redacted);
    expect(await bench.copy('original', 'other')).toMatchObject({ lostBlobs: [redacted] });
    expect((await bench.copy('original', 'copy', asked)).redacted).toEqual({ erased: [], erasable: [], left: [] });
    expect(await digestsIn(await bench.blobs('copy'))).toEqual([redacted]);
  });

  it('is kept if the copy has it from another run', async () => {
    const other = await say(elsewhere, 0, 'of run b');
    await say(evidence, 0, 'of run a');
    await (await bench.blobs('copy')).put('of run b');
    await redact('notes-b', elsewhere, 0, other);
    await bench.copy('original', 'copy', askedOf('a'));
    expect(await digestsIn(await bench.blobs('copy'))).toContain(other);
  });

  it('within an answer is erased by a copy of everything, and kept by a copy of a run, since other runs may cite the answer', async () => {
    const prompt = await textIn(texts, 'a private question');
    const stream = streamOf.answer(keyOf('q'));
    await add(stream, answered('q', prompt));
    await add('run-a', proposal('a', 1, ['q']));
    await bench.copy('original', 'run', { run: 'a' });
    await bench.copy('original', 'whole');
    await add(
      stream,
      redacted(stream, 0, { event: answered('q').id, stream, blob: prompt.blob, field: 'data.prompt' }),
    );
    await texts.erase(prompt.blob);
    const ofRun = await bench.copy('original', 'run', { ...askedOf('a'), extend: true });
    expect(ofRun).toMatchObject({ copied: 1, lostBlobs: [], redacted: { erased: [], left: [{ blob: prompt.blob }] } });
    expect(await digestsIn(await bench.blobs('run'))).toEqual([prompt.blob]);
    await bench.copy('original', 'whole', asked);
    expect(await digestsIn(await bench.blobs('whole'))).toEqual([]);
    expect((await bench.verify('whole')).faults).toBe(0);
  });

  it('during the copy is not lost', async () => {
    const first = await say(evidence, 0, 'private');
    await texts.erase(first);
    const done = await bench.copy('original', 'copy', {
      onProgress: async ({ doing }) => {
        if (doing === 'copying') await redact('notes-a', evidence, 0, first);
      },
    });
    expect(done.lostBlobs).toEqual([]);
  });
});
