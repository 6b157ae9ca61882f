// A folder of blobs with foreign content: only regular files of the store itself are blobs, reading them ends, and nothing outside
// the store is read, written or removed.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { evidenceStream, rollout } from '../contract/samples.ts';
import { sha256 } from '../identity/ids.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { type Blobs, keyOf } from './blobs.ts';
import { markerName } from './folder.ts';
import { openBlobs } from './open.ts';
import { unpackWhole } from './packing.ts';

const text = 'Agent 0 goes right.';
const digest = sha256(text);

interface Place {
  readonly folder: string;
  readonly root: string;
  readonly file: string;
}

/** A store whose only blob was removed. */
async function emptied(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-strange-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'ledger.blobs');
  const blobs = await openBlobs(`folder:${root}`, { create: true });
  await blobs.put(text);
  await blobs.close();
  const file = join(root, keyOf(digest));
  rmSync(file);
  return { folder, root, file };
}

async function opened(root: string, readOnly = true): Promise<Blobs> {
  const blobs = await openBlobs(`folder:${root}`, { readOnly });
  onTestFinished(() => blobs.close());
  return blobs;
}

const atFolder = (root: string) => ({ blobs: `folder:${root}`, run: null, head: null });

/** A ledger with an event that names the blob. */
async function naming(folder: string, bytes: number): Promise<string> {
  const url = `sqlite:${join(folder, 'ledger.db')}`;
  const ledger = await openLedger(url, { create: true });
  const event = rollout(0);
  const data = { ...event.data, completion: { blob: digest, bytes } };
  await ledger.append(evidenceStream, [{ ...event, data }], { expect: 'any' });
  await ledger.close();
  return url;
}

const strange: readonly [kind: string, make: (path: string, folder: string) => unknown][] = [
  ['a FIFO', (path) => spawnSync('mkfifo', [path])],
  ['a folder', (path) => mkdirSync(path)],
  ['a symbolic link', (path) => symlinkSync('/dev/zero', path)],
  [
    'a symbolic link',
    (path, folder) => {
      writeFileSync(join(folder, 'elsewhere'), zstdCompressSync(text));
      symlinkSync(join(folder, 'elsewhere'), path);
    },
  ],
  [
    'a socket',
    async (path, folder) => {
      const server = createServer();
      onTestFinished(() => void server.close());
      // The name of a socket may not be long; what it is renamed to may.
      server.listen(join(folder, 's'));
      await once(server, 'listening');
      renameSync(join(folder, 's'), path);
    },
  ],
];

describe('another object than a regular file in the place of a blob', () => {
  it.each(strange)('is not a blob, and is reported as %s', async (kind, make) => {
    const { folder, root, file } = await emptied();
    await make(file, folder);
    const damaged = { name: 'BlobDamaged', message: expect.stringContaining(`is ${kind}, not a regular file`) };
    const blobs = await opened(root);
    await expect(blobs.get(digest)).rejects.toMatchObject(damaged);
    await expect(blobs.read(digest)[Symbol.asyncIterator]().next()).rejects.toMatchObject(damaged);
    expect(await blobs.has(digest)).toBe(false);
    for await (const batch of blobs.list()) expect(batch).toEqual([]);
    expect((await blobs.check()).map(({ name }) => name)).toContain('blobs');
  });

  it.each(strange)('is a finding of a verification, which ends: %s', async (kind, make) => {
    const { folder, root, file } = await emptied();
    const url = await naming(folder, text.length);
    await make(file, folder);
    const { findings } = await verifyLedger(url, atFolder(root));
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: 'blob-damaged', says: expect.stringContaining(kind) }),
    );
  });

  it('is replaced by putting the blob again, and the target of a link stays', async () => {
    const { folder, root, file } = await emptied();
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), file);
    const blobs = await opened(root, false);
    await blobs.put(text);
    expect(lstatSync(file).isFile()).toBe(true);
    expect(Buffer.from(await blobs.get(digest)).toString()).toBe(text);
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
  });

  it('in the place of the marker means there is no store', async () => {
    for (const [, make] of strange) {
      const { folder, root } = await emptied();
      rmSync(join(root, markerName));
      await make(join(root, markerName), folder);
      await expect(openBlobs(`folder:${root}`, { readOnly: true })).rejects.toMatchObject({
        kind: expect.stringMatching(/^(?:not-found|storage|untrusted)$/),
      });
    }
  });
});

describe('a link out of the store', () => {
  it('in the place of a shard is neither written through nor erased through', async () => {
    const { folder, root, file } = await emptied();
    const outside = join(folder, 'outside');
    renameSync(dirname(file), outside);
    symlinkSync(outside, dirname(file));
    const victim = join(outside, `${digest.slice(2)}.zst`);
    const blobs = await opened(root, false);
    await expect(blobs.put(text)).rejects.toMatchObject({ name: 'StorageFailed' });
    expect(existsSync(victim)).toBe(false);
    writeFileSync(victim, 'precious');
    await expect(blobs.erase(digest)).rejects.toMatchObject({ name: 'StorageFailed' });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('in the place of a shard is not read through, and is a finding of a verification', async () => {
    const { folder, root, file } = await emptied();
    const outside = join(folder, 'outside');
    renameSync(dirname(file), outside);
    writeFileSync(join(outside, `${digest.slice(2)}.zst`), zstdCompressSync(text));
    symlinkSync(outside, dirname(file));
    const refused = { name: 'StorageFailed', message: expect.stringContaining('found a symbolic link') };
    const blobs = await opened(root);
    await expect(blobs.get(digest)).rejects.toMatchObject(refused);
    await expect(blobs.read(digest)[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
    await expect(blobs.has(digest)).rejects.toMatchObject(refused);
    await expect(blobs.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
    expect(await blobs.check()).toContainEqual(expect.objectContaining({ name: 'blobs', status: 'failed' }));
    const { findings } = await verifyLedger(await naming(folder, text.length), atFolder(root));
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: 'unreadable', says: expect.stringContaining('found a symbolic link') }),
    );
  });

  it.each([true, false])(
    'in the place of the marker is refused, even by a verification (read-only: %s)',
    async (readOnly) => {
      const { folder, root } = await emptied();
      const elsewhere = join(folder, 'marker.json');
      renameSync(join(root, markerName), elsewhere);
      symlinkSync(elsewhere, join(root, markerName));
      const refused = { name: 'LinkFound', kind: 'untrusted' };
      await expect(openBlobs(`folder:${root}`, { readOnly, create: true })).rejects.toMatchObject(refused);
      await expect(verifyLedger(await naming(folder, text.length), atFolder(root))).rejects.toMatchObject(refused);
      expect(lstatSync(join(root, markerName)).isSymbolicLink()).toBe(true);
    },
  );

  it('in the place of the incoming folder is refused, and nothing there is removed', async () => {
    const { folder, root } = await emptied();
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    const [download, own] = ['film.part', 'icecore-0123456789ab-1-00.part'].map((name) => join(outside, name));
    for (const path of [download, own]) {
      writeFileSync(path as string, 'precious');
      utimesSync(path as string, 0, 0);
    }
    rmSync(join(root, 'incoming'), { recursive: true });
    symlinkSync(outside, join(root, 'incoming'));
    await expect(opened(root, false)).rejects.toMatchObject({ name: 'LinkFound', kind: 'untrusted' });
    expect([download, own].map((path) => existsSync(path as string))).toEqual([true, true]);
  });

  it('files of other programs in the incoming folder stay', async () => {
    const { root } = await emptied();
    const download = join(root, 'incoming', 'film.part');
    writeFileSync(download, 'precious');
    utimesSync(download, 0, 0);
    await opened(root, false);
    expect(existsSync(download)).toBe(true);
  });
});

describe('a small blob that expands a lot', () => {
  const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));

  it('is not loaded into memory', async () => {
    const wanted = { digest, place: 'here' };
    await expect(unpackWhole(wanted, bomb, 4 * 1024 * 1024)).rejects.toMatchObject({ name: 'BlobTooLarge' });
  });

  it('stops being verified at the length that the event records', async () => {
    const { folder, root, file } = await emptied();
    writeFileSync(file, bomb);
    const { findings } = await verifyLedger(await naming(folder, 5), atFolder(root));
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'blob-damaged',
        says: expect.stringMatching(/more than \d+ bytes; the event says 5/),
      }),
    );
  });
});
