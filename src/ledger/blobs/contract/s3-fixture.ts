// What the S3 store supplies to the contract: prefixes of a bucket. The credentials are in the environment.
import { randomBytes } from 'node:crypto';
import { keyOf } from '../digests.ts';
import { openBlobs } from '../open.ts';
import { S3Client } from '../s3/client.ts';
import { s3Place } from '../s3/place.ts';
import { damaged } from './damaged.ts';
import { type BlobFixture, digestsIn } from './fixture.ts';

const permission = 'to test';

/** The same bucket, with a prefix. */
export function below(bucket: string, prefix: string): string {
  const url = new URL(bucket);
  url.pathname += `/${prefix}`;
  return url.href;
}

export function clientOf(url: string): S3Client {
  return new S3Client(s3Place(url, process.env));
}

export async function s3Fixture(bucket: string): Promise<BlobFixture> {
  const own = below(bucket, `icecore-contract-${randomBytes(6).toString('hex')}`);
  const made: string[] = [];
  return {
    fresh: async () => {
      const url = below(own, String(made.length));
      made.push(url);
      return url;
    },
    open: openBlobs,
    damage: async (url, digest, damage) => {
      const client = clientOf(url);
      const key = `${client.place.prefix}${keyOf(digest)}`;
      const { body } = await client.ask({ method: 'GET', key, permission });
      await client.ask({ method: 'PUT', key, permission, body: damaged(body, damage) });
    },
    dispose: () => removeAll(made),
  };
}

/** A bucket that others use, too, is left as it was found. */
async function removeAll(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const blobs = await openBlobs(url);
    for (const digest of await digestsIn(blobs)) await blobs.erase(digest);
    await blobs.close();
  }
}
