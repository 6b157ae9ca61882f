// Checkpoints of a run: a file goes to the blob store under its digest before any event names it, and comes back from
// there as a file when it is needed. What is no file, a name that a server knows, stays as it is.
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, lstatSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { CheckpointOutside } from './errors.ts';
import type { Learner } from './learner.ts';

/** As events name it: where it is a file, by what it is. */
export async function kept(
  checkpoint: Checkpoint,
  stage: number | null,
  blobs: () => Promise<Blobs>,
): Promise<Checkpoint> {
  const of = stage === null ? {} : { stage };
  const { reference, digest } = checkpoint;
  if (digest === undefined || !existsSync(reference)) return { ...checkpoint, ...of };
  const blob = await (await blobs()).put(createReadStream(reference));
  return { ...checkpoint, reference: blob.digest, digest: blob.digest, bytes: blob.bytes, ...of };
}

export interface Fetching {
  /** Where files are put. */
  readonly folder: string;
  readonly blobs: () => Promise<Blobs>;
  readonly blobsOnly: boolean;
}

/**
 * The same where it can be read: a file in this folder. A file that is recorded is in the blobs, so a recorded path to
 * another file of this machine was not written by icecore: it would be read, and stored as a blob. With `blobsOnly` nothing
 * else is a checkpoint at all, since whoever takes it would read a name as a path. Throws BlobMissing where the blob is no
 * more, and CheckpointOutside.
 */
export async function atHand(
  checkpoint: Checkpoint | null,
  { folder, blobs, blobsOnly }: Fetching,
): Promise<Checkpoint | null> {
  if (checkpoint === null) return null;
  if (checkpoint.reference !== checkpoint.digest) {
    const isFile = checkpoint.digest !== undefined && existsSync(checkpoint.reference);
    if (blobsOnly || isFile) throw new CheckpointOutside(checkpoint);
    return checkpoint;
  }
  const path = join(folder, checkpoint.digest);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) {
    // The folder came with the ledger: a link in it leads to a file that nobody fetched.
    await rm(path, { force: true, recursive: true });
    await mkdir(folder, { recursive: true });
    // Several may fetch it at once, in this process too.
    const part = `${path}.${randomUUID()}.part`;
    await pipeline((await blobs()).read(checkpoint.digest), createWriteStream(part));
    await rename(part, path);
  }
  return { ...checkpoint, reference: path };
}

/** For the policy itself: a model that is served knows a snapshot by its name, everybody else has it as a file. */
export async function toPlanWith(
  checkpoint: Checkpoint | null,
  { model, isBuiltIn }: Pick<Learner, 'model' | 'isBuiltIn'>,
  place: Omit<Fetching, 'blobsOnly'>,
): Promise<Checkpoint | null> {
  return model === null ? await atHand(checkpoint, { ...place, blobsOnly: isBuiltIn }) : checkpoint;
}
