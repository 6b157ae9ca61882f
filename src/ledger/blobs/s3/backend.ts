// Blobs as objects of an S3-compatible server: `PREFIX/ab/cdef….zst`. Acknowledged objects are durable.
import { mkdtempSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapConcurrently } from '../../../base/concurrently.ts';
import { StorageFailed } from '../../../base/folders.ts';
import { removeQuietly, temporaryPath } from '../../../base/temporary.ts';
import { type Check, failure, ok } from '../../checks.ts';
import { type BlobBackend, digestOf, keyOf, type Packed, type StoredBlob, wholeBytes } from '../blobs.ts';
import { translate, translated } from '../errors.ts';
import { type Answer, blobsUnavailable, checkServer, isPassing, S3Client, type S3Request } from './client.ts';
import { s3Place } from './location.ts';
import { elementsOf, textOf } from './xml.ts';

/** The bucket must exist: its owner, region and cost are not for icecore to decide. */
export async function openS3(url: string): Promise<BlobBackend> {
  const backend = new S3Backend(new S3Client(s3Place(url, process.env)));
  await backend.requireStore();
  return backend;
}

/** The size of every part of an upload except the last; S3 requires at least 5 MiB, and at most ten thousand parts. */
const leastPartBytes = 8 * 1024 * 1024;
const mostParts = 10_000;
/** The number of parts in memory and in transfer at a time. */
const partsAtOnce = 4;
/** The number of attempts to resume a download without receiving a byte. */
const mostVainResumes = 3;

export class S3Backend implements BlobBackend {
  readonly url: string;
  readonly concurrency = 16;
  readonly isRemote = true;
  readonly #client: S3Client;
  #staging: string | null = null;

  constructor(client: S3Client) {
    this.url = client.place.url;
    this.#client = client;
  }

  placeOf(digest: string): string {
    return `s3://${this.#client.place.bucket}/${this.#keyOf(digest)}`;
  }

  /** A private folder, since large blobs may be private too. */
  async stagingFile(): Promise<string> {
    const beginning = join(tmpdir(), 'icecore-staging-');
    try {
      this.#staging ??= mkdtempSync(beginning);
    } catch (error) {
      throw translate(error, beginning);
    }
    return temporaryPath(this.#staging);
  }

  /** Small blobs in one answer. The rest of a large blob is requested when it is read. */
  async fetch(digest: string): Promise<Packed | null> {
    const request = { method: 'GET', key: this.#keyOf(digest), permission: 's3:GetObject' } as const;
    const headers = { range: `bytes=0-${wholeBytes - 1}` };
    const { status, body, headers: answered } = await this.#client.ask({ ...request, headers, accept: [404, 416] });
    // An object without bytes has no range.
    if (status === 416) return Buffer.alloc(0);
    if (status === 404) return null;
    // `bytes 0-262143/8388608`; without it, the answer is complete.
    const total = Number(/\/(\d+)$/.exec(answered.get('content-range') ?? '')?.[1] ?? body.byteLength);
    return total <= body.byteLength ? body : this.#resumed(request, digest, body, total);
  }

  /** Resumes after a broken connection. */
  async *#resumed(request: S3Request, digest: string, first: Uint8Array, total: number): AsyncGenerator<Uint8Array> {
    yield first;
    let at = first.byteLength;
    for (let vain = 0; at < total; ) {
      const from = at;
      try {
        for await (const piece of await this.#client.stream({ ...request, headers: { range: `bytes=${at}-` } })) {
          at += piece.byteLength;
          yield piece;
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
      vain = at > from ? 0 : vain + 1;
      if (vain >= mostVainResumes) throw blobsUnavailable(this.url, `the download of ${digest} was interrupted`, vain);
    }
  }

  async size(digest: string): Promise<number | null> {
    const { status, headers } = await this.#head(this.#keyOf(digest));
    return status === 404 ? null : Number(headers.get('content-length'));
  }

  #head(key: string): Promise<Answer> {
    return this.#client.ask({ method: 'HEAD', key, permission: 's3:GetObject', accept: [404] });
  }

  async store(digest: string, packed: Uint8Array): Promise<void> {
    await this.#client.ask({ method: 'PUT', key: this.#keyOf(digest), body: packed, permission: 's3:PutObject' });
  }

  /** Small files in one request, large ones in parts. An object appears complete or not at all. */
  async storeFile(digest: string, path: string, bytes: number): Promise<void> {
    const file = await translated(path, open(path, 'r'));
    try {
      if (bytes > leastPartBytes) await translated(path, this.#uploadParts(digest, file, bytes));
      else await this.store(digest, await translated(path, file.readFile()));
    } finally {
      await file.close();
    }
  }

  /** A failed upload is aborted, since its parts would stay invisible and cost money. */
  async #uploadParts(digest: string, file: FileHandle, bytes: number): Promise<void> {
    const key = this.#keyOf(digest);
    const uploadId = await this.#beginUpload(key);
    try {
      const partBytes = Math.max(leastPartBytes, Math.ceil(bytes / mostParts));
      const numbers = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => index + 1);
      const parts = await mapConcurrently(numbers, partsAtOnce, async (number) => {
        const start = (number - 1) * partBytes;
        const range = file.createReadStream({ start, end: start + partBytes - 1, autoClose: false });
        const body = Buffer.concat(await range.toArray());
        const query = { partNumber: String(number), uploadId };
        const { headers } = await this.#client.ask({ method: 'PUT', key, query, body, permission: 's3:PutObject' });
        const tag = headers.get('etag');
        if (tag === null) throw this.#unexpected('returned no tag for a part');
        return `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`;
      });
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      const completing = { method: 'POST', key, query: { uploadId }, body, permission: 's3:PutObject' } as const;
      const { status } = await this.#client.ask({ ...completing, accept: [404] });
      // The upload no longer exists if an earlier attempt completed it and its answer was lost.
      if (status === 404 && (await this.size(digest)) !== bytes) throw this.#unexpected('lost a multipart upload');
    } catch (error) {
      await this.#abandonUpload(key, uploadId).catch(() => {});
      throw error;
    }
  }

  async #beginUpload(key: string): Promise<string> {
    const query = { uploads: '' };
    const { body } = await this.#client.ask({ method: 'POST', key, query, permission: 's3:PutObject' });
    const uploadId = textOf(body.toString(), 'UploadId');
    if (uploadId === null) throw this.#unexpected('started no upload');
    return uploadId;
  }

  async #abandonUpload(key: string, uploadId: string): Promise<void> {
    const permission = 's3:AbortMultipartUpload';
    await this.#client.ask({ method: 'DELETE', key, query: { uploadId }, permission, accept: [404] });
  }

  async sync(): Promise<void> {}

  /** A bucket with versions only marks an object as deleted, so its versions are destroyed as well. */
  async erase(digest: string): Promise<boolean> {
    const key = this.#keyOf(digest);
    const deleting = { method: 'DELETE', key, permission: 's3:DeleteObject', accept: [404] } as const;
    const head = await this.#head(key);
    const isThere = head.status !== 404;
    const answers = isThere ? [head, await this.#client.ask(deleting)] : [head];
    const hasVersions = answers.some(
      ({ headers }) => headers.has('x-amz-version-id') || headers.has('x-amz-delete-marker'),
    );
    for (let versions = hasVersions ? await this.#versionsOf(key) : []; versions.length > 0; ) {
      for (const versionId of versions)
        await this.#client.ask({ ...deleting, query: { versionId }, permission: 's3:DeleteObjectVersion' });
      versions = await this.#versionsOf(key);
    }
    return isThere;
  }

  async #versionsOf(key: string): Promise<string[]> {
    const query = { versions: '', prefix: key };
    const { body } = await this.#client.ask({ method: 'GET', query, permission: 's3:ListBucketVersions' });
    const xml = body.toString();
    return [...elementsOf(xml, 'Version'), ...elementsOf(xml, 'DeleteMarker')].flatMap((element) =>
      textOf(element, 'Key') === key ? (textOf(element, 'VersionId') ?? []) : [],
    );
  }

  /** Page by page. S3 lists keys in byte order, which is the order of digests. */
  async *list(): AsyncGenerator<readonly StoredBlob[]> {
    const tokens = new Set<string>();
    for (let next: string | null = null; ; ) {
      const page = await this.#page(next === null ? {} : { 'continuation-token': next });
      const blobs = elementsOf(page, 'Contents').flatMap((element) => this.#blobIn(element) ?? []);
      if (blobs.length > 0) yield blobs;
      next = textOf(page, 'NextContinuationToken');
      if (next === null && textOf(page, 'IsTruncated') !== 'true') return;
      // An incomplete list must not look complete, and an endless one must not be read for ever.
      if (next === null || tokens.has(next))
        throw this.#unexpected(
          `returned an incomplete list ${next === null ? 'without a token to continue' : 'that repeats itself'}`,
        );
      tokens.add(next);
    }
  }

  async #page(part: Readonly<Record<string, string>>): Promise<string> {
    const query = { 'list-type': '2', prefix: this.#client.place.prefix, ...part };
    const { body } = await this.#client.ask({ method: 'GET', query, permission: 's3:ListBucket' });
    return body.toString();
  }

  /** Null for objects of other programs. */
  #blobIn(element: string): StoredBlob | null {
    const { prefix } = this.#client.place;
    const key = textOf(element, 'Key') ?? '';
    const digest = key.startsWith(prefix) ? digestOf(key.slice(prefix.length)) : null;
    return digest === null ? null : { digest, storedBytes: Number(textOf(element, 'Size')) };
  }

  /** Throws if the bucket does not exist, or the credentials give no access. */
  async requireStore(): Promise<void> {
    await this.#page({ 'max-keys': '1' });
  }

  async check(): Promise<readonly Check[]> {
    try {
      await this.requireStore();
    } catch (error) {
      return [failure('blobs', error)];
    }
    return [ok('blobs', `${this.url} answers`), await this.#checkWritable()];
  }

  /** Checks this without storing an object. */
  async #checkWritable(): Promise<Check> {
    const key = `${this.#client.place.prefix}upload`;
    try {
      await this.#abandonUpload(key, await this.#beginUpload(key));
      return ok('writing', 'possible: an upload was started and aborted');
    } catch (error) {
      return failure('writing', error);
    }
  }

  async close(): Promise<void> {
    if (this.#staging !== null) await removeQuietly(this.#staging);
  }

  #keyOf(digest: string): string {
    return `${this.#client.place.prefix}${keyOf(digest)}`;
  }

  #unexpected(what: string): StorageFailed {
    return new StorageFailed(this.url, `the server ${what}`, checkServer);
  }
}
