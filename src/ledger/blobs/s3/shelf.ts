// Blobs as objects of an S3-compatible server: `PREFIX/ab/cdef….zst`. What the server acknowledged is durable.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, failure, ok } from '../../checks.ts';
import { temporaryPath } from '../../temporary.ts';
import type { StoredBlob } from '../blobs.ts';
import { keyOf } from '../digests.ts';
import { translate } from '../faults.ts';
import type { Packed, Shelf } from '../shelf.ts';
import type { S3Client } from './client.ts';
import { download } from './download.ts';
import { eraseObject } from './erasing.ts';
import { askForPage, listObjects } from './listing.ts';
import { sizeOf, tryUpload, upload } from './upload.ts';

export class S3Shelf implements Shelf {
  readonly url: string;
  readonly width = 16;
  readonly remote = true;
  readonly #client: S3Client;
  #spool: Promise<string> | null = null;

  constructor(client: S3Client) {
    this.url = client.place.url;
    this.#client = client;
  }

  placeOf(digest: string): string {
    return `s3://${this.#client.place.bucket}/${this.#keyOf(digest)}`;
  }

  /** In a folder that nobody else can look into: what is large may be private, too. */
  async spoolFile(): Promise<string> {
    const beginning = join(tmpdir(), 'icecore-spool-');
    this.#spool ??= mkdtemp(beginning);
    try {
      return temporaryPath(await this.#spool);
    } catch (error) {
      this.#spool = null;
      throw translate(error, beginning);
    }
  }

  fetch(digest: string): Promise<Packed | null> {
    return download(this.#client, this.#keyOf(digest), digest);
  }

  size(digest: string): Promise<number | null> {
    return sizeOf(this.#client, this.#keyOf(digest));
  }

  async keep(digest: string, packed: Uint8Array): Promise<void> {
    await this.#client.ask({
      method: 'PUT',
      key: this.#keyOf(digest),
      body: packed,
      permission: 's3:PutObject',
    });
  }

  async keepFile(digest: string, file: string, bytes: number): Promise<void> {
    try {
      await upload(this.#client, this.#keyOf(digest), file, bytes);
    } catch (error) {
      throw translate(error, file);
    }
  }

  async settle(): Promise<void> {}

  erase(digest: string): Promise<boolean> {
    return eraseObject(this.#client, this.#keyOf(digest));
  }

  list(): AsyncIterable<readonly StoredBlob[]> {
    return listObjects(this.#client);
  }

  /** Throws when the bucket is not there, or the credentials do not open it. */
  async requireStore(): Promise<void> {
    await askForPage(this.#client, 1, null);
  }

  async check(): Promise<readonly Check[]> {
    try {
      await this.requireStore();
    } catch (error) {
      return [failure('blobs', error)];
    }
    return [ok('blobs', `${this.url} answers`), await this.#checkWritable()];
  }

  async #checkWritable(): Promise<Check> {
    try {
      await tryUpload(this.#client, `${this.#client.place.prefix}upload`);
      return ok('writing', 'possible: an upload was begun, and given up');
    } catch (error) {
      return failure('writing', error);
    }
  }

  async close(): Promise<void> {
    const spool = await this.#spool?.catch(() => null);
    if (spool) await rm(spool, { recursive: true, force: true }).catch(() => {});
  }

  #keyOf(digest: string): string {
    return `${this.#client.place.prefix}${keyOf(digest)}`;
  }
}
