// Objects on their way there: small files in one request, large ones in parts. An object appears whole or not at all.
import { type FileHandle, open } from 'node:fs/promises';
import { StorageFailed } from '../../errors.ts';
import { readRange } from '../reading.ts';
import { together } from '../together.ts';
import type { S3Client } from './client.ts';
import { textOf } from './xml.ts';

const permission = 's3:PutObject';
/** Of every part but the last; S3 takes at least 5 MiB, and at most ten thousand parts. */
const leastPartBytes = 8 * 1024 * 1024;
const mostParts = 10_000;
/** So many parts are in memory, and on their way, at a time. */
const partsAtOnce = 4;

export async function upload(client: S3Client, key: string, path: string, bytes: number): Promise<void> {
  const file = await open(path, 'r');
  try {
    if (bytes > leastPartBytes) return await uploadParts(client, key, file, bytes);
    await client.ask({ method: 'PUT', key, body: await readRange(file, 0, bytes), permission });
  } finally {
    await file.close();
  }
}

/** Whether objects may be put there, without putting one: an upload is begun, and given up. Throws what was refused. */
export async function tryUpload(client: S3Client, key: string): Promise<void> {
  await abandon(client, key, await begin(client, key));
}

/** What was begun and failed is taken back: parts nobody puts together would be paid for, and never seen. */
async function uploadParts(client: S3Client, key: string, file: FileHandle, bytes: number): Promise<void> {
  const uploadId = await begin(client, key);
  try {
    const tags = await sendParts(client, key, uploadId, file, bytes);
    await complete(client, key, uploadId, tags, bytes);
  } catch (error) {
    await abandon(client, key, uploadId).catch(() => {});
    throw error;
  }
}

async function begin(client: S3Client, key: string): Promise<string> {
  const { body } = await client.ask({ method: 'POST', key, query: { uploads: '' }, permission });
  const uploadId = textOf(body.toString(), 'UploadId');
  if (uploadId === null) throw unexpected(client, 'began no upload');
  return uploadId;
}

async function abandon(client: S3Client, key: string, uploadId: string): Promise<void> {
  const query = { uploadId };
  await client.ask({ method: 'DELETE', key, query, permission: 's3:AbortMultipartUpload', accept: [404] });
}

function sendParts(
  client: S3Client,
  key: string,
  uploadId: string,
  file: FileHandle,
  bytes: number,
): Promise<string[]> {
  const partBytes = Math.max(leastPartBytes, Math.ceil(bytes / mostParts));
  const parts = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => index);
  return together(parts, partsAtOnce, async (index) => {
    const body = await readRange(file, index * partBytes, partBytes);
    const query = { partNumber: String(index + 1), uploadId };
    const { headers } = await client.ask({ method: 'PUT', key, query, body, permission });
    const tag = headers.get('etag');
    if (tag === null) throw unexpected(client, 'gave a part no tag');
    return tag;
  });
}

async function complete(
  client: S3Client,
  key: string,
  uploadId: string,
  tags: readonly string[],
  bytes: number,
): Promise<void> {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const { status } = await client.ask({ method: 'POST', key, query: { uploadId }, body, permission, accept: [404] });
  // There is no such upload any more when an earlier attempt put it together and its answer was lost.
  if (status !== 404 || (await sizeOf(client, key)) === bytes) return;
  throw unexpected(client, 'forgot an upload in parts');
}

/** Null when there is no such object. */
export async function sizeOf(client: S3Client, key: string): Promise<number | null> {
  const { status, headers } = await client.ask({ method: 'HEAD', key, permission: 's3:GetObject', accept: [404] });
  return status === 404 ? null : Number(headers.get('content-length'));
}

function unexpected(client: S3Client, what: string): StorageFailed {
  return new StorageFailed(
    client.place.url,
    `the server ${what}`,
    'Check that the endpoint is an S3-compatible server.',
  );
}
