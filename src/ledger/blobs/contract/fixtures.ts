// The interface of fixtures for the blob contract, and the fixtures of both stores.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf } from '../blobs.ts';
import { openBlobs } from '../open.ts';
import { S3Client } from '../s3/client.ts';
import { s3Place } from '../s3/location.ts';
import { type Damage, damaged, digestsIn } from './samples.ts';

export interface BlobFixture {
  /** The URL of a new, empty store. Any process of this machine can open it with `openBlobs`. */
  fresh(): Promise<string>;
  /** Damages stored content, bypassing the store. */
  damage(url: string, digest: string, damage: Damage): Promise<void>;
  /** Releases all resources of the fixture. */
  dispose(): Promise<void>;
}

/** Folders within a temporary one. */
export async function folderFixture(): Promise<BlobFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-blobs-'));
  let made = 0;
  return {
    fresh: async () => {
      const url = `folder:${join(folder, String(made++))}`;
      await (await openBlobs(url, { create: true })).close();
      return url;
    },
    damage: async (url, digest, damage) => {
      const path = join(url.slice('folder:'.length), keyOf(digest));
      writeFileSync(path, damaged(readFileSync(path), damage));
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The same bucket, with a prefix. */
export function below(bucket: string, prefix: string): string {
  const url = new URL(bucket);
  url.pathname += `/${prefix}`;
  return url.href;
}

/** The credentials are in the environment. */
export function clientOf(url: string): S3Client {
  return new S3Client(s3Place(url, process.env));
}

/** Prefixes of a bucket. A bucket that others use too is left as it was. */
export async function s3Fixture(bucket: string): Promise<BlobFixture> {
  const own = below(bucket, `icecore-contract-${randomBytes(6).toString('hex')}`);
  const made: string[] = [];
  return {
    fresh: async () => {
      made.push(below(own, String(made.length)));
      return made.at(-1) as string;
    },
    damage: async (url, digest, damage) => {
      const client = clientOf(url);
      const object = { key: `${client.place.prefix}${keyOf(digest)}`, permission: 'to test' };
      const { body } = await client.ask({ method: 'GET', ...object });
      await client.ask({ method: 'PUT', ...object, body: damaged(body, damage) });
    },
    dispose: async () => {
      for (const url of made) {
        const blobs = await openBlobs(url);
        for (const digest of await digestsIn(blobs)) await blobs.erase(digest);
        await blobs.close();
      }
    },
  };
}
