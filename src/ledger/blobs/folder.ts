// Blobs as files: `PATH/ab/cdef….zst`. A file is written under another name, synced, renamed, and its folder synced:
// whatever is killed, a blob is there whole or not at all, and what was acknowledged stays.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kindOf } from '../../base/regular-file.ts';
import type { Check } from '../checks.ts';
import { StorageFailed } from '../errors.ts';
import { removeQuietly, temporaryPath } from '../temporary.ts';
import type { StoredBlob } from './blobs.ts';
import { digestOf, keyOf, shardOf } from './digests.ts';
import { FolderSyncs } from './durable.ts';
import { BlobDamaged } from './errors.ts';
import { codeOf, isMissing, translate } from './faults.ts';
import { checkFolder } from './folder-check.ts';
import { hasMarker, incomingIn, isFolder, markerName } from './folder-layout.ts';
import { readPieces, readRange } from './reading.ts';
import { type Packed, type Shelf, wholeBytes } from './shelf.ts';
import { together } from './together.ts';

/** So many entries of a folder are looked at together. */
const listed = 1000;

export class FolderShelf implements Shelf {
  readonly url: string;
  // More than the four threads that Node waits with, so that none of them is idle and folders are synced together.
  readonly width = 64;
  readonly remote = false;
  readonly #root: string;
  readonly #syncs = new FolderSyncs();
  readonly #shards = new Map<string, Promise<void>>();

  constructor(url: string, root: string) {
    this.url = url;
    this.#root = root;
  }

  placeOf(digest: string): string {
    return join(this.#root, keyOf(digest));
  }

  async spoolFile(): Promise<string> {
    return temporaryPath(incomingIn(this.#root));
  }

  async fetch(digest: string): Promise<Packed | null> {
    const path = this.placeOf(digest);
    try {
      const file = await openBlob(digest, path);
      try {
        const { size } = await file.stat();
        return size <= wholeBytes ? await readRange(file, 0, size) : readPieces(path, () => openBlob(digest, path));
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isMissing(error)) return null;
      throw translate(error, path);
    }
  }

  async size(digest: string): Promise<number | null> {
    const path = this.placeOf(digest);
    try {
      const found = await lstat(path);
      return found.isFile() ? found.size : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw translate(error, path);
    }
  }

  async keep(digest: string, packed: Uint8Array): Promise<void> {
    const path = await this.spoolFile();
    try {
      await writeSynced(path, packed);
    } catch (error) {
      await removeQuietly(path);
      throw translate(error, path);
    }
    await this.keepFile(digest, path);
  }

  async keepFile(digest: string, file: string): Promise<void> {
    const path = this.placeOf(digest);
    try {
      await this.#requireShard(shardOf(digest));
      await rename(file, path);
    } catch (error) {
      await removeQuietly(file);
      throw translate(error, path);
    }
    await this.settle(digest);
  }

  async settle(digest: string): Promise<void> {
    await this.#syncs.sync(join(this.#root, shardOf(digest)));
  }

  async erase(digest: string): Promise<boolean> {
    const path = this.placeOf(digest);
    await this.#requireOwn(dirname(path));
    const erased = await unlink(path).then(
      () => true,
      (error) => {
        if (isMissing(error)) return false;
        throw translate(error, path);
      },
    );
    // Also when another process has just erased it: this one may tell its user that it is gone for good.
    if (erased || (await isFolder(join(this.#root, shardOf(digest))))) await this.settle(digest);
    return erased;
  }

  async *list(): AsyncGenerator<readonly StoredBlob[]> {
    const names = await this.#names(this.#root);
    if (!names.includes(markerName)) await this.requireStore();
    for (const shard of names.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      const digests = (await this.#names(join(this.#root, shard))).flatMap(
        (name) => digestOf(`${shard}/${name}`) ?? [],
      );
      digests.sort();
      for (let at = 0; at < digests.length; at += listed) {
        const batch = await this.#describe(digests.slice(at, at + listed));
        if (batch.length > 0) yield batch;
      }
    }
  }

  async requireStore(): Promise<void> {
    if (await hasMarker(this.#root)) return;
    const what = `the folder was emptied or its disk is gone: it has no ${markerName}`;
    throw new StorageFailed(this.#root, what, 'Check whether its disk is mounted, and restore the folder from a copy.');
  }

  check(): Promise<readonly Check[]> {
    return checkFolder(this.#root);
  }

  async close(): Promise<void> {}

  /** Makes the folder of a shard, durably, also when another process made it a moment ago. Asked once a shard. */
  #requireShard(shard: string): Promise<void> {
    const known = this.#shards.get(shard);
    if (known !== undefined) return known;
    const made = this.#makeShard(join(this.#root, shard));
    this.#shards.set(shard, made);
    made.catch(() => this.#shards.delete(shard));
    return made;
  }

  async #makeShard(path: string): Promise<void> {
    await this.requireStore();
    await mkdir(path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await this.#requireOwn(path);
    await this.#syncs.sync(this.#root);
  }

  /** What is written to or erased lies in the store itself, and not where a link leads. */
  async #requireOwn(shard: string): Promise<void> {
    const found = await lstat(shard).catch((error) => {
      if (isMissing(error)) return null;
      throw translate(error, shard);
    });
    if (found === null || found.isDirectory()) return;
    const remedy = 'Something else has a name that icecore uses. Move it away.';
    throw new StorageFailed(shard, `found ${kindOf(found)}, allowed: a folder`, remedy);
  }

  async #names(folder: string): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      throw translate(error, folder);
    }
  }

  /** What was erased meanwhile is left out. */
  async #describe(digests: readonly string[]): Promise<StoredBlob[]> {
    const sizes = await together(digests, this.width, (digest) => this.size(digest));
    return digests.flatMap((digest, index) => {
      const storedBytes = sizes[index] ?? null;
      return storedBytes === null ? [] : [{ digest, storedBytes }];
    });
  }
}

/** A FIFO would never answer, a device never end, and a link leads out of the store: only a regular file is a blob. */
const asIs = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

async function openBlob(digest: string, path: string): Promise<FileHandle> {
  const file = await open(path, asIs).catch(async (error) => {
    if (isMissing(error)) throw error;
    const found = await lstat(path).catch(() => null);
    throw found === null || found.isFile() ? error : notRegular(digest, path, found);
  });
  const found = await file.stat();
  if (found.isFile()) return file;
  await file.close();
  throw notRegular(digest, path, found);
}

function notRegular(digest: string, path: string, found: Stats): BlobDamaged {
  return new BlobDamaged(digest, path, `is ${kindOf(found)}, not a regular file`);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
