// Blobs as files: `PATH/ab/cdef….zst`. A file is written under a temporary name, synced and renamed, and its folder is synced:
// whenever a process is killed, a blob is complete or absent, and acknowledged blobs stay. A marker file distinguishes the
// folder from an empty mount point; another folder holds incoming files.
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseJson } from '../../../schemas/json-text.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import { requireNoLink, StorageFailed } from '../../base/folders.ts';
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
import { BlobDamaged, BlobStoreMissing, codeOf, isMissing, newerBlobStore, translate } from './errors.ts';
import { writeNew } from './packing.ts';

export const markerName = 'icecore-blobs.json';
const format = 1;
const longestMarker = 64 * 1024;

export async function openFolder(url: string, path: string, options: OpenBlobsOptions): Promise<BlobBackend> {
  const root = resolve(path);
  requireNoLink(join(root, markerName));
  if (!options.readOnly) requireNoLink(incomingIn(root));
  if (options.create && !options.readOnly && !(await hasMarker(root))) await makeLayout(root);
  const found = await readFormat(url, root);
  if (found !== format) throw newerBlobStore(url, found, format);
  if (!options.readOnly) await sweep(incomingIn(root));
  return new FolderBackend(url, root);
}

function incomingIn(root: string): string {
  return join(root, 'incoming');
}

async function hasMarker(root: string): Promise<boolean> {
  return (await ifThere(join(root, markerName), lookAt))?.isFile() === true;
}

/** Null: nothing has that name. */
async function ifThere<Found>(path: string, look: (path: string) => Promise<Found>): Promise<Found | null> {
  try {
    return await look(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw translate(error, path);
  }
}

/** Does not follow links. */
function lookAt(path: string): Promise<Stats> {
  return lstat(path);
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
    const isThere = (await ifThere(root, () => stat(root)))?.isDirectory() === true;
    throw new BlobStoreMissing(url, isThere ? `the folder ${root} has no ${markerName}` : `there is no folder ${root}`);
  }
}

/** Creates missing parts durably. Several processes may do so concurrently. */
async function makeLayout(root: string): Promise<void> {
  try {
    const first = (await mkdir(root, { recursive: true })) ?? root;
    for (let made = root; made !== dirname(made); made = dirname(made)) {
      await syncFolder(dirname(made));
      if (made === resolve(first)) break;
    }
    await mkdir(incomingIn(root), { recursive: true });
    if (!(await hasMarker(root))) await writeMarker(root);
    await syncFolder(root);
  } catch (error) {
    throw translate(error, root);
  }
}

/** Written under a temporary name, so that no process reads an incomplete marker. */
async function writeMarker(root: string): Promise<void> {
  const path = temporaryPath(incomingIn(root));
  try {
    await writeNew(path, Buffer.from(`${JSON.stringify({ format, compression: 'zstd' })}\n`));
    await rename(path, join(root, markerName));
  } finally {
    await removeQuietly(path);
  }
}

/** The number of folder entries that are listed together. */
const batchSize = 1000;

class FolderBackend implements BlobBackend {
  readonly url: string;
  // More than the four threads of Node's pool, so that none of them is idle and folders are synced together.
  readonly concurrency = 64;
  readonly isRemote = false;
  readonly #root: string;
  readonly #syncs = new FolderSyncs();
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
    return await ifThere(path, async () => {
      const file = await openBlob(digest, path);
      try {
        const { size } = await file.stat();
        return size <= wholeBytes ? await file.readFile() : readPieces(path, digest);
      } finally {
        await file.close();
      }
    });
  }

  async size(digest: string): Promise<number | null> {
    const path = this.placeOf(digest);
    await this.#requireOwnOnce(dirname(path));
    const found = await ifThere(path, lookAt);
    return found?.isFile() === true ? found.size : null;
  }

  async store(digest: string, packed: Uint8Array): Promise<void> {
    const path = await this.stagingFile();
    try {
      await writeNew(path, packed);
    } catch (error) {
      await removeQuietly(path);
      throw translate(error, path);
    }
    await this.storeFile(digest, path);
  }

  async storeFile(digest: string, file: string): Promise<void> {
    const path = this.placeOf(digest);
    try {
      await this.#requireShard(dirname(path));
      await rename(file, path);
    } catch (error) {
      await removeQuietly(file);
      throw translate(error, path);
    }
    await this.sync(digest);
  }

  async sync(digest: string): Promise<void> {
    await this.#syncs.sync(dirname(this.placeOf(digest)));
  }

  async erase(digest: string): Promise<boolean> {
    const path = this.placeOf(digest);
    const isShardThere = await this.#requireOwn(dirname(path));
    const erased = (await ifThere(path, (file) => unlink(file).then(() => true))) ?? false;
    // Needed even if another process has just erased it, since this process may report it as gone for good.
    if (isShardThere) await this.sync(digest);
    return erased;
  }

  async *list(): AsyncGenerator<readonly StoredBlob[]> {
    for await (const digests of this.#digests()) {
      for (let at = 0; at < digests.length; at += batchSize) {
        const batch = digests.slice(at, at + batchSize);
        const sizes = await mapConcurrently(batch, this.concurrency, (digest) => this.size(digest));
        // Blobs that were erased meanwhile are skipped.
        const found = batch.flatMap((digest, index) => {
          const storedBytes = sizes[index] ?? null;
          return storedBytes === null ? [] : [{ digest, storedBytes }];
        });
        if (found.length > 0) yield found;
      }
    }
  }

  async requireStore(): Promise<void> {
    if (await hasMarker(this.#root)) return;
    const what = `the folder was emptied or its disk is gone: it has no ${markerName}`;
    throw new StorageFailed(this.#root, what, 'Check whether its disk is mounted, and restore the folder from a copy.');
  }

  async check(): Promise<readonly Check[]> {
    const looks: readonly (readonly [name: string, look: () => Promise<Check>])[] = [
      ['blobs', () => this.#checkCount()],
      ['writing', () => this.#checkWritable()],
      ['disk', async () => checkSpace(this.#root)],
    ];
    return await Promise.all(
      looks.map(([name, look]) => look().catch((error) => failure(name, translate(error, this.#root)))),
    );
  }

  async close(): Promise<void> {}

  async #checkCount(): Promise<Check> {
    let count = 0;
    for await (const digests of this.#digests()) count += digests.length;
    return ok('blobs', `${this.#root}: ${count} blobs`);
  }

  async #checkWritable(): Promise<Check> {
    for (const folder of [this.#root, incomingIn(this.#root)]) await access(folder, constants.W_OK);
    return ok('writing', 'possible');
  }

  /** In order, by shard. */
  async *#digests(): AsyncGenerator<readonly string[]> {
    const names = await this.#names(this.#root);
    if (!names.includes(markerName)) await this.requireStore();
    for (const shard of names.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      const folder = join(this.#root, shard);
      await this.#requireOwnOnce(folder);
      yield (await this.#names(folder)).flatMap((name) => digestOf(`${shard}/${name}`) ?? []).sort();
    }
  }

  async #names(folder: string): Promise<string[]> {
    return await readdir(folder).catch((error) => {
      throw translate(error, folder);
    });
  }

  /** Creates the folder of a shard once, durably, even if another process has just created it. */
  #requireShard(path: string): Promise<void> {
    const known = this.#shards.get(path);
    if (known !== undefined) return known;
    const made = this.#makeShard(path);
    this.#shards.set(path, made);
    made.catch(() => this.#shards.delete(path));
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

  async #requireOwnOnce(shard: string): Promise<void> {
    if (this.#own.has(shard) || !(await this.#requireOwn(shard))) return;
    this.#own.add(shard);
  }

  /** Ensures that the path is in the store itself and not behind a link. False if there is nothing. */
  async #requireOwn(shard: string): Promise<boolean> {
    const found = await ifThere(shard, lookAt);
    // The system's own error reports a file in this place.
    if (found === null || found.isDirectory() || found.isFile()) return found !== null;
    const remedy = 'Move it away: it has a name that icecore uses.';
    throw new StorageFailed(shard, `found ${kindOf(found)}, allowed: a folder`, remedy);
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

/**
 * A renamed file survives a power failure once its folder is synced. One fsync serves all waiting callers; on ext4 and similar
 * file systems the first fsync of a round makes the others cheap.
 */
class FolderSyncs {
  #waiting = new Set<string>();
  #next: Promise<Map<string, unknown>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** When it resolves, all changes in the folder before the call are durable. */
  async sync(folder: string): Promise<void> {
    this.#waiting.add(folder);
    // The next round starts when the last one ends; folders accumulate until then.
    if (this.#next === null) {
      this.#next = this.#last.then(() => this.#round());
      this.#last = this.#next;
    }
    const failures = await this.#next;
    if (failures.has(folder)) throw translate(failures.get(folder), folder);
  }

  async #round(): Promise<Map<string, unknown>> {
    const folders = [...this.#waiting];
    this.#waiting = new Set();
    this.#next = null;
    const failures = new Map<string, unknown>();
    await Promise.all(folders.map((folder) => syncFolder(folder).catch((error) => failures.set(folder, error))));
    return failures;
  }
}
