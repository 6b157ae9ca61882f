// The contract that every blob store must fulfil. A store supplies a fixture.

import { type ChildProcess, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isThorough, tries } from '../../../../schemas/testing/tries.ts';
import type { BlobReference, BlobSource, Blobs, OpenBlobsOptions } from '../blobs.ts';
import { openBlobs } from '../open.ts';
import type { BlobFixture } from './fixtures.ts';
import {
  type Damage,
  damages,
  digestsIn,
  digestsOf,
  KiB,
  listed,
  MiB,
  noise,
  prose,
  readAll,
  trickle,
} from './samples.ts';

export function blobContract(store: string, makeFixture: () => Promise<BlobFixture>): void {
  describe(`the blob contract: ${store}`, () => {
    let fixture: BlobFixture;

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture?.dispose());

    const fresh = async (): Promise<Blobs> => opened(await fixture.fresh());
    storing(fresh);
    failing(fresh);
    finding(fresh);
    damaging(fresh, (...of) => fixture.damage(...of));
    refusing(fresh);
    crowding(fresh);
  });
}

/** Creates a new, empty store. */
type Fresh = () => Promise<Blobs>;

/** Opens a store for one test, like another process. */
async function opened(url: string, options?: OpenBlobsOptions): Promise<Blobs> {
  const blobs = await openBlobs(url, options);
  onTestFinished(() => blobs.close());
  return blobs;
}

async function textOf(blobs: Blobs, digest: string): Promise<string> {
  return Buffer.from(await blobs.get(digest)).toString();
}

/** Puts the bytes, and expects to read them back. */
async function putAndGet(blobs: Blobs, source: BlobSource, bytes: Buffer): Promise<BlobReference> {
  const reference = await blobs.put(source);
  expect(reference).toEqual({ digest: hash('sha256', bytes), bytes: bytes.byteLength });
  expect(bytes.equals(await blobs.get(reference.digest))).toBe(true);
  return reference;
}

function enormous(): [string, Buffer][] {
  return [
    ['20 MiB of noise', noise(20 * MiB)],
    ['20 MiB of prose', prose(20 * MiB)],
    ['64 MiB of zeros, which shrink to almost nothing', Buffer.alloc(64 * MiB)],
  ];
}

function storing(fresh: Fresh): void {
  describe('storing', () => {
    it.each([
      ['nothing', Buffer.alloc(0)],
      ['one byte', Buffer.from([0])],
      ['a text', prose(4 * KiB)],
      ['the largest blob handled as a whole', noise(256 * KiB)],
      ['one byte more than that', noise(256 * KiB + 1)],
      ['a MiB of noise', noise(MiB)],
      ['exactly two pieces', prose(MiB)],
      ...(isThorough ? enormous() : []),
    ])('%s is read back, whole and in pieces, put whole or in pieces', async (_, bytes) => {
      const blobs = await fresh();
      for (const source of [bytes, trickle(bytes)]) {
        const { digest } = await putAndGet(blobs, source, bytes);
        expect(bytes.equals(await readAll(blobs, digest))).toBe(true);
        await blobs.erase(digest);
      }
    });

    it('any bytes are read back', async () => {
      const blobs = await fresh();
      const property = fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        await putAndGet(blobs, bytes, Buffer.from(bytes));
      });
      await fc.assert(property, { numRuns: tries(50) });
    });

    it('a string is stored as UTF-8', async () => {
      const text = 'Eis 🧊 wächst, Schicht um Schicht.';
      await putAndGet(await fresh(), text, Buffer.from(text));
    });

    it('the same bytes are stored once, however they are put', async () => {
      const blobs = await fresh();
      const bytes = prose(600 * KiB);
      const first = await blobs.put(bytes);
      expect(await blobs.put(trickle(bytes))).toEqual(first);
      expect(await blobs.put(bytes.toString())).toEqual(first);
      expect(await digestsIn(blobs)).toEqual([first.digest]);
    });

    it('compressible content is stored compressed', async () => {
      const blobs = await fresh();
      await blobs.put(prose(100 * KiB));
      for await (const [blob] of blobs.list()) expect(blob?.storedBytes).toBeLessThan(50 * KiB);
    });

    it('many blobs at once are returned in the order of the sources', async () => {
      const blobs = await fresh();
      const texts = Array.from({ length: 300 }, (_, index) => `prompt ${index % 200}`);
      const references = await blobs.putAll([...texts, trickle(noise(MiB)), noise(300 * KiB)]);
      const all = [...texts, noise(MiB), noise(300 * KiB)];
      expect(digestsOf(references)).toEqual(all.map((bytes) => hash('sha256', bytes)));
      expect(await digestsIn(blobs)).toHaveLength(202);
      expect(await blobs.putAll([])).toEqual([]);
    });

    it('stored blobs exist when the store is opened again', async () => {
      const blobs = await fresh();
      const { digest } = await blobs.put('layer on layer');
      await blobs.close();
      const again = await opened(blobs.url, { readOnly: true });
      expect(await textOf(again, digest)).toBe('layer on layer');
    });
  });
}

function failing(fresh: Fresh): void {
  describe('a failing source', () => {
    async function* failingAfter(bytes: Buffer): AsyncGenerator<Uint8Array> {
      yield* trickle(bytes);
      throw new Error('the producer failed');
    }

    it.each([10, 3 * MiB])('after %i bytes fails the put with its own error, and nothing is stored', async (size) => {
      const blobs = await fresh();
      await expect(blobs.put(failingAfter(noise(size)))).rejects.toThrow('the producer failed');
      expect(await digestsIn(blobs)).toEqual([]);
    });

    it('fails all blobs of the same call, once they have settled', async () => {
      const blobs = await fresh();
      await expect(blobs.putAll(['one', failingAfter(noise(10)), 'three'])).rejects.toThrow('the producer failed');
      const before = await digestsIn(blobs);
      expect(await digestsIn(blobs)).toEqual(before);
    });
  });
}

const nowhere = hash('sha256', 'was never put');

function finding(fresh: Fresh): void {
  describe('finding', () => {
    it('tells existing blobs from missing ones, and throws BlobMissing', async () => {
      const blobs = await fresh();
      const { digest } = await blobs.put('here');
      expect(await blobs.has(digest)).toBe(true);
      expect(await blobs.has(nowhere)).toBe(false);
      const missing = { name: 'BlobMissing', kind: 'not-found', digest: nowhere };
      await expect(blobs.get(nowhere)).rejects.toMatchObject(missing);
      await expect(blobs.read(nowhere)[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
    });

    it('lists nothing in an empty store', async () => {
      expect(await digestsIn(await fresh())).toEqual([]);
    });

    it('lists more blobs than fit into one answer, each once, in order, with its size', async () => {
      const blobs = await fresh();
      const references = await blobs.putAll(Array.from({ length: 1100 }, (_, index) => `blob ${index}`));
      const found = await listed(blobs);
      expect(digestsOf(found)).toEqual(digestsOf(references).sort());
      expect(found.filter(({ storedBytes }) => storedBytes > 0)).toHaveLength(1100);
    });

    it('can be stopped in the middle of a list, and of a blob', async () => {
      const blobs = await fresh();
      const { digest } = await blobs.put(noise(5 * MiB));
      for await (const piece of blobs.read(digest)) {
        expect(piece.byteLength).toBeLessThan(5 * MiB);
        break;
      }
      for await (const batch of blobs.list()) {
        expect(batch).toHaveLength(1);
        break;
      }
      expect(await blobs.erase(digest)).toBe(true);
    });

    it('checks a sound store without findings or changes', async () => {
      const blobs = await fresh();
      const { digest } = await blobs.put('sound');
      const checks = await blobs.check();
      expect(checks.length).toBeGreaterThan(0);
      expect(checks.filter((check) => check.status === 'failed')).toEqual([]);
      expect(await digestsIn(blobs)).toEqual([digest]);
    });
  });

  describe('erasing', () => {
    it('destroys exactly one blob, and may be repeated', async () => {
      const blobs = await fresh();
      const [gone, left] = digestsOf(await blobs.putAll(['of ada', 'of bob'])) as [string, string];
      expect(await blobs.erase(gone)).toBe(true);
      expect(await blobs.erase(gone)).toBe(false);
      expect(await blobs.has(gone)).toBe(false);
      await expect(blobs.get(gone)).rejects.toMatchObject({ name: 'BlobMissing' });
      expect(await digestsIn(blobs)).toEqual([left]);
      expect(await blobs.erase(nowhere)).toBe(false);
    });

    it('allows the same bytes to be put again', async () => {
      const blobs = await fresh();
      for (const bytes of [noise(10), noise(300 * KiB)]) {
        await blobs.erase((await blobs.put(bytes)).digest);
        await putAndGet(blobs, bytes, bytes);
      }
    });
  });
}

const damagedSamples: readonly (readonly [string, Buffer])[] = [
  ['a byte', Buffer.from('x')],
  ['noise', noise(5 * KiB)],
  ['a text', prose(20 * KiB)],
  ['a large text', prose(8 * MiB)],
  ['much noise', noise(3 * MiB)],
];
const damageFound = /hash to [0-9a-f]{64}|cannot be decompressed: ./;

function damaging(fresh: Fresh, inflict: BlobFixture['damage']): void {
  /** A store with one damaged blob. */
  async function withDamage(bytes: Buffer, damage: Damage) {
    const blobs = await fresh();
    const { digest } = await blobs.put(bytes);
    await inflict(blobs.url, digest, damage);
    return { blobs, digest };
  }

  describe('damage', () => {
    it.each(damagedSamples.flatMap(([name, bytes]) => damages.map((damage) => [name, damage, bytes] as const)))(
      'of %s that was %s is reported, and the last piece is withheld',
      async (_, damage, bytes) => {
        const { blobs, digest } = await withDamage(bytes, damage);
        const damaged = { name: 'BlobDamaged', kind: 'damaged', digest, message: expect.stringMatching(damageFound) };
        await expect(blobs.get(digest)).rejects.toMatchObject(damaged);
        let handedOut = 0;
        const reading = async (): Promise<void> => {
          for await (const piece of blobs.read(digest)) handedOut += piece.byteLength;
        };
        await expect(reading()).rejects.toMatchObject(damaged);
        expect(handedOut).toBeLessThan(bytes.byteLength);
      },
    );

    it('of a few blobs is found by a check', async () => {
      const { blobs, digest } = await withDamage(noise(KiB), 'flipped');
      const failed = (await blobs.check()).filter((check) => check.status === 'failed');
      expect(failed).toEqual([expect.objectContaining({ name: 'digests', found: expect.stringContaining(digest) })]);
    });

    it.each([
      ...damages.map((damage) => ['a small one', damage, prose(10 * KiB)] as const),
      ['a large one', 'cut', noise(2 * MiB)] as const,
    ])('of %s that was %s is repaired by putting the same bytes again', async (_, damage, bytes) => {
      const { blobs } = await withDamage(bytes, damage);
      await putAndGet(blobs, bytes, bytes);
    });

    it('does not prevent a blob from being erased', async () => {
      const { blobs, digest } = await withDamage(Buffer.from('private'), 'emptied');
      expect(await blobs.erase(digest)).toBe(true);
      expect(await blobs.has(digest)).toBe(false);
    });
  });
}

const refused = hash('sha256', 'refused');
const notDigests = [
  '',
  'x',
  '../../../etc/passwd',
  refused.slice(1),
  `${refused}0`,
  refused.toUpperCase(),
  `${refused}\n`,
];
const uses: readonly (readonly [string, (blobs: Blobs, digest: string) => Promise<unknown>])[] = [
  ['get', (blobs, of) => blobs.get(of)],
  ['read', (blobs, of) => blobs.read(of)[Symbol.asyncIterator]().next()],
  ['has', (blobs, of) => blobs.has(of)],
  ['erase', (blobs, of) => blobs.erase(of)],
];

function refusing(fresh: Fresh): void {
  describe('refusing', () => {
    it.each(uses)('%s refuses an invalid digest', async (_, use) => {
      const blobs = await fresh();
      for (const found of notDigests)
        await expect(use(blobs, found)).rejects.toMatchObject({ name: 'BadDigest', kind: 'bad-input' });
    });

    it('writes nothing when opened read-only', async () => {
      const reader = await opened((await fresh()).url, { readOnly: true });
      const readOnly = { name: 'BlobsReadOnly', kind: 'unsupported' };
      await expect(reader.put('x')).rejects.toMatchObject(readOnly);
      await expect(reader.putAll(['x'])).rejects.toMatchObject(readOnly);
      await expect(reader.erase(refused)).rejects.toMatchObject(readOnly);
      expect(await digestsIn(reader)).toEqual([]);
    });

    it('fails after close', async () => {
      const blobs = await fresh();
      await blobs.close();
      await blobs.close();
      const closed = { name: 'BlobsClosed', kind: 'internal' };
      for (const [, use] of uses) await expect(use(blobs, refused)).rejects.toMatchObject(closed);
      await expect(blobs.put('x')).rejects.toMatchObject(closed);
      await expect(blobs.check()).rejects.toMatchObject(closed);
      await expect(digestsIn(blobs)).rejects.toMatchObject(closed);
    });

    it('closes only when pending work has ended', async () => {
      const blobs = await fresh();
      const puts = [blobs.put('refused'), blobs.put(noise(MiB))];
      await blobs.close();
      const there = await digestsIn(await opened(blobs.url));
      expect(there).toEqual(digestsOf(await Promise.all(puts)).sort());
    });
  });
}

const putter = fileURLToPath(new URL('./putter-process.ts', import.meta.url));

function crowding(fresh: Fresh): void {
  describe('concurrent use', () => {
    it('the same bytes may be put many times', async () => {
      const blobs = await fresh();
      const another = await opened(blobs.url);
      for (const bytes of [prose(KiB), noise(400 * KiB)]) {
        const puts = Array.from({ length: 20 }, (_, index) => (index % 2 ? blobs : another).put(bytes));
        const [digest = '', ...others] = new Set(digestsOf(await Promise.all(puts)));
        expect(others).toEqual([]);
        expect(bytes.equals(await another.get(digest))).toBe(true);
      }
      expect(await digestsIn(blobs)).toHaveLength(2);
    });

    it('several processes may put the same blobs', async () => {
      const blobs = await fresh();
      const children = Array.from({ length: 4 }, () => fork(putter, [blobs.url, '60']));
      const said = await Promise.all(children.map(digestsFrom));
      expect(said).toEqual(Array.from(children, () => said[0]));
      const digests = await digestsIn(blobs);
      expect(digests).toEqual([...(said[0] ?? [])].sort());
      for (const digest of digests) await blobs.get(digest);
    });

    it('putting and erasing leave a complete blob or none', async () => {
      const blobs = await fresh();
      for (let round = 0; round < 20; round++) {
        const [{ digest }] = await Promise.all([blobs.put('to and fro'), blobs.erase(hash('sha256', 'to and fro'))]);
        if (await blobs.has(digest)) await blobs.get(digest);
        await blobs.put('to and fro');
        expect(await textOf(blobs, digest)).toBe('to and fro');
      }
    });
  });
}

async function digestsFrom(child: ChildProcess): Promise<readonly string[]> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process ended with ${code}`);
  });
  const [digests] = await Promise.race([once(child, 'message'), ended]);
  return digests;
}
