// Objects on their way here: small ones in one answer, large ones in pieces, taken up again where the connection broke.
import { type Packed, wholeBytes } from '../shelf.ts';
import type { Answer } from './answer.ts';
import type { S3Client } from './client.ts';
import { BlobsUnavailable } from './faults.ts';
import { isPassing } from './patience.ts';

const permission = 's3:GetObject';
/** So often a download is taken up again without a byte having come. */
const barren = 3;

/** Null when there is no such object. Of a large one, the rest is asked for when it is read. */
export async function download(client: S3Client, key: string, digest: string): Promise<Packed | null> {
  const headers = { range: `bytes=0-${wholeBytes - 1}` };
  // An object without bytes has no range: 416.
  const answer = await client.ask({ method: 'GET', key, headers, permission, accept: [404, 416] });
  if (answer.status === 416) return Buffer.alloc(0);
  if (answer.status === 404) return missing(client, answer);
  const total = totalOf(answer);
  return total <= answer.body.byteLength ? answer.body : resumed(client, key, digest, answer.body, total);
}

/** A bucket that is not there is no missing blob. */
async function missing(client: S3Client, answer: Answer): Promise<null> {
  if (answer.body.includes('NoSuchBucket')) await client.ask({ method: 'GET', permission: 's3:ListBucket' });
  return null;
}

/** `bytes 0-262143/8388608`; without it, the answer is all there is. */
function totalOf(answer: Answer): number {
  const total = /\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1];
  return total === undefined ? answer.body.byteLength : Number(total);
}

async function* resumed(
  client: S3Client,
  key: string,
  digest: string,
  first: Uint8Array,
  total: number,
): AsyncGenerator<Uint8Array> {
  yield first;
  let at = first.byteLength;
  for (let vain = 0; at < total; ) {
    const from = at;
    try {
      const headers = { range: `bytes=${at}-` };
      for await (const piece of await client.stream({ method: 'GET', key, headers, permission })) {
        at += piece.byteLength;
        yield piece;
      }
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    vain = at > from ? 0 : vain + 1;
    if (vain >= barren) throw new BlobsUnavailable(client.place.url, `the download of ${digest} broke off`, vain);
  }
}
