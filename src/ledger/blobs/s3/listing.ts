// All blobs below a prefix, page by page. S3 lists keys in the order of their bytes, which is that of the digests.
import { StorageFailed } from '../../errors.ts';
import type { StoredBlob } from '../blobs.ts';
import { digestOf } from '../digests.ts';
import type { S3Client } from './client.ts';
import { elementsOf, textOf } from './xml.ts';

const permission = 's3:ListBucket';

export async function* listObjects(client: S3Client, pageSize = 1000): AsyncGenerator<readonly StoredBlob[]> {
  const tokens = new Set<string>();
  let next: string | null = null;
  do {
    const page = await askForPage(client, pageSize, next);
    const blobs = elementsOf(page, 'Contents').flatMap((element) => blobIn(element, client.place.prefix) ?? []);
    if (blobs.length > 0) yield blobs;
    next = textOf(page, 'NextContinuationToken');
    if (next === null && textOf(page, 'IsTruncated') === 'true') throw endless(client, 'but not where');
    // A list without an end would otherwise be read for ever.
    if (next !== null && tokens.has(next)) throw endless(client, 'where it was before');
    if (next !== null) tokens.add(next);
  } while (next !== null);
}

/** Throws when the bucket cannot be reached or looked into. */
export async function askForPage(client: S3Client, size: number, after: string | null): Promise<string> {
  const query = { 'list-type': '2', 'max-keys': String(size), prefix: client.place.prefix };
  const continued = after === null ? query : { ...query, 'continuation-token': after };
  const { body } = await client.ask({ method: 'GET', query: continued, permission });
  return body.toString();
}

/** A list that breaks off must not be taken for all there is. */
function endless(client: S3Client, where: string): StorageFailed {
  const what = `the server says that its list goes on, ${where}`;
  return new StorageFailed(client.place.url, what, 'Check that the endpoint is an S3-compatible server.');
}

/** Null for what somebody else keeps there. */
function blobIn(element: string, prefix: string): StoredBlob | null {
  const key = textOf(element, 'Key') ?? '';
  const digest = key.startsWith(prefix) ? digestOf(key.slice(prefix.length)) : null;
  return digest === null ? null : { digest, storedBytes: Number(textOf(element, 'Size')) };
}
