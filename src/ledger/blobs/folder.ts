// Blobs as files: `PATH/ab/cdef….zst`. A file is written under a temporary name, synced and renamed, and its folder is synced:
// whenever a process is killed, a blob is complete or absent, and acknowledged blobs stay. A marker file distinguishes the
// folder from an empty mount point; another folder holds incoming files.
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseJson } from '../../../schemas/json-text.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import { isFolder, makeFolder, requireNoLink, StorageFailed } from '../../base/folders.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { kindOf, NotRegularFile, readRegularFile } from '../../base/regular-file.ts';
import { removeQuietly, sweep, temporaryPath } from '../../base/temporary.ts';
import { syncFolder } from '../../base/write-whole.ts';
import { type Check, checkSpace, failure, ok } from '../checks.ts';
import {
  type BlobBackend,
  digestOf,
  keyOf,
  type OpenBlobsOptions,
  type Packed,
  type StoredBlob,
  wholeBytes,
} from './blobs.ts';
import { BlobDamaged, BlobStoreMissing, codeOf, isMissing, newerBlobStore, translate, translated } from './errors.ts';
import { writeNew } from './packing.ts';

export const markerName = 'icecore-blobs.json';
const format = 1;
const longestMarker = 64 * 1024;

export async function openFolder(
  url: string,
  path: string,
  { create = false, readOnly = false }: OpenBlobsOptions,
): Promise<BlobBackend> {
  const root = resolve(path);
  requireNoLink(join(root, markerName));
  if (!readOnly) requireNoLink(incomingIn(root));
  if (create && !readOnly && !(await hasMarker(root))) await translated(root, makeLayout(root));
  const found = await readFormat(url, root);
  if (found !== format) throw newerBlobStore(url, found, format);
  if (!readOnly) await sweep(incomingIn(root));
  return new FolderBackend(url, root);
}

function incomingIn(root: string): string {
  return join(root, 'incoming');
}

async function hasMarker(root: string): Promise<boolean> {
  const path = join(root, markerName);
  return (await ifThere(path, lstat(path)))?.isFile() === true;
}

/** Null: nothing has that name. */
async function ifThere<Found>(path: string, look: Promise<Found>): Promise<Found | null> {
  return await look.catch((error) => {
    if (isMissing(error)) return null;
    throw translate(error, path);
  });
}

/** Throws BlobStoreMissing if there is no blob store. */
async function readFormat(url: string, root: string): Promise<unknown> {
  const path = join(root, markerName);
  try {
    const marker: unknown = parseJson(readRegularFile(path, longestMarker).toString('utf8'));
    return (marker as { format?: unknown } | null)?.format;
  } catch (error) {
    if (error instanceof SyntaxError) throw new BlobStoreMissing(url, `${markerName} is not JSON`);
    if (error instanceof NotRegularFile) throw new BlobStoreMissing(url, error.message);
    if (codeOf(error) === 'ENOTDIR') throw new BlobStoreMissing(url, `${root} is not a folder`);
    if (!isMissing(error)) throw translate(error, path);
    throw new BlobStoreMissing(
      url,
      isFolder(root) ? `the folder ${root} has no ${markerName}` : `there is no folder ${root}`,
    );
  }
}

/** Creates missing parts durably. Several processes may do so concurrently. */
async function makeLayout(root: string): Promise<void> {
  const first = makeFolder(root) ?? root;
  for (let made = root; made !== dirname(made); made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) break;
  }
  await mkdir(incomingIn(root), { recursive: true });
  if (!(await hasMarker(root))) await writeMarker(root);
  await syncFolder(root);
}

/** Written under a temporary name, so that no process reads an incomplete marker. */
async function writeMarker(root: string): Promise<void> {
  const path = temporaryPath(incomingIn(root));
  try {
    await writeNew(path, [Buffer.from(`${JSON.stringify({ format, compression: 'zstd' })}\n`)]);
    await rename(path, join(root, markerName));
  } finally {
    await removeQuietly(path);
  }
}

class FolderBackend implements BlobBackend {
  readonly url: string;
  // More than the four threads of Node's pool, so that none of them is idle while a disk syncs.
  readonly concurrency = 64;
  readonly isRemote = false;
  readonly #root: string;
  /** Shard folders that this process has created or found. */
  readonly #shards = new Map<string, Promise<void>>();
  readonly #own = new Set<string>();

  constructor(url: string, root: string) {
    this.url = url;
    this.#root = root;
  }

  placeOf(digest: string): string {
    return join(this.#root, keyOf(digest));
  }

  async stagingFile(): Promise<string> {
    return temporaryPath(incomingIn(this.#root));
  }

  async fetch(digest: string): Promise<Packed | null> {
    const path = this.placeOf(digest);
    await this.#requireOwnOnce(dirname(path));
    return await ifThere(path, contentOf(path, digest));
  }

  async size(digest: string): Promise<number | null> {
    const path = this.placeOf(digest);
    await this.#requireOwnOnce(dirname(path));
    const found = await ifThere(path, lstat(path));
    return found?.isFile() === true ? found.size : null;
  }

  async store(digest: string, packed: Uint8Array): Promise<void> {
    const file = await this.stagingFile();
    try {
      await writeNew(file, [packed]);
      await this.storeFile(digest, file);
    } catch (error) {
      await removeQuietly(file);
      throw error;
    }
  }

  async storeFile(digest: string, file: string): Promise<void> {
    const path = this.placeOf(digest);
    await translated(path, this.#requireShard(dirname(path)));
    await translated(path, rename(file, path));
    await this.sync(digest);
  }

  /** A renamed file survives a power failure once its folder is synced. */
  async sync(digest: string): Promise<void> {
    const folder = dirname(this.placeOf(digest));
    await translated(folder, syncFolder(folder));
  }

  async erase(digest: string): Promise<boolean> {
    const path = this.placeOf(digest);
    const isShardThere = await this.#requireOwn(dirname(path));
    const erased = (await ifThere(path, unlink(path))) !== null;
    // Needed even if another process has just erased it, since this process may report it as gone for good.
    if (isShardThere) await this.sync(digest);
    return erased;
  }

  async *list(): AsyncGenerator<readonly StoredBlob[]> {
    for await (const digests of this.#digests()) {
      const found = await mapConcurrently(digests, this.concurrency, async (digest) => {
        return { digest, storedBytes: await this.size(digest) };
      });
      // Blobs that were erased meanwhile are skipped.
      const there = found.filter((blob): blob is StoredBlob => blob.storedBytes !== null);
      if (there.length > 0) yield there;
    }
  }

  async requireStore(): Promise<void> {
    if (await hasMarker(this.#root)) return;
    const what = `the folder was emptied or its disk is gone: it has no ${markerName}`;
    throw new StorageFailed(this.#root, what, 'Check whether its disk is mounted, and restore the folder from a copy.');
  }

  async check(): Promise<readonly Check[]> {
    const root = this.#root;
    const checked = (name: string, look: () => Promise<Check>): Promise<Check> =>
      look().catch((error) => failure(name, translate(error, root)));
    return await Promise.all([
      checked('blobs', async () => {
        let count = 0;
        for await (const digests of this.#digests()) count += digests.length;
        return ok('blobs', `${root}: ${count} blobs`);
      }),
      checked('writing', async () => {
        for (const folder of [root, incomingIn(root)]) await access(folder, constants.W_OK);
        return ok('writing', 'possible');
      }),
      checked('disk', async () => checkSpace(root)),
    ]);
  }

  async close(): Promise<void> {}

  /** In order, by shard. */
  async *#digests(): AsyncGenerator<readonly string[]> {
    const names = await translated(this.#root, readdir(this.#root));
    if (!names.includes(markerName)) await this.requireStore();
    for (const shard of names.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      const folder = join(this.#root, shard);
      await this.#requireOwnOnce(folder);
      const blobs = await translated(folder, readdir(folder));
      yield blobs.flatMap((name) => digestOf(`${shard}/${name}`) ?? []).sort();
    }
  }

  /** Creates the folder of a shard once, durably, even if another process has just created it. */
  #requireShard(path: string): Promise<void> {
    const made = getOrCreate(this.#shards, path, () => this.#makeShard(path));
    made.catch(() => this.#shards.delete(path));
    return made;
  }

  async #makeShard(path: string): Promise<void> {
    await this.requireStore();
    await mkdir(path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await this.#requireOwn(path);
    await translated(this.#root, syncFolder(this.#root));
  }

  async #requireOwnOnce(shard: string): Promise<void> {
    if (this.#own.has(shard) || !(await this.#requireOwn(shard))) return;
    this.#own.add(shard);
  }

  /** Ensures that the path is in the store itself and not behind a link. False if there is nothing. */
  async #requireOwn(shard: string): Promise<boolean> {
    const found = await ifThere(shard, lstat(shard));
    // The system's own error reports a file in this place.
    if (found === null || found.isDirectory() || found.isFile()) return found !== null;
    const remedy = 'Move it away: it has a name that icecore uses.';
    throw new StorageFailed(shard, `found ${kindOf(found)}, allowed: a folder`, remedy);
  }
}

async function contentOf(path: string, digest: string): Promise<Packed> {
  const file = await openBlob(digest, path);
  try {
    const { size } = await file.stat();
    return size <= wholeBytes ? await file.readFile() : readPieces(path, digest);
  } finally {
    await file.close();
  }
}

/** Only a regular file is a blob: a FIFO could block, a device could be endless, and a link could lead out of the store. */
const asIs = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

async function openBlob(digest: string, path: string): Promise<FileHandle> {
  const file = await open(path, asIs).catch(async (error) => {
    const found = isMissing(error) ? null : await lstat(path).catch(() => null);
    throw found === null || found.isFile() ? error : notRegular(found);
  });
  const found = await file.stat();
  if (found.isFile()) return file;
  await file.close();
  throw notRegular(found);

  function notRegular(other: Stats): BlobDamaged {
    return new BlobDamaged(digest, path, `is ${kindOf(other)}, not a regular file`);
  }
}

/** Opens the file when the first piece is requested, so that unread content needs no closing. */
async function* readPieces(path: string, digest: string): AsyncGenerator<Uint8Array> {
  try {
    yield* (await openBlob(digest, path)).createReadStream({ highWaterMark: wholeBytes });
  } catch (error) {
    throw translate(error, path);
  }
}
