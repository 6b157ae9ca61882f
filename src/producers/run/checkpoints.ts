// Checkpoints of a run: a file goes to the blob store under its digest before any event names it, and comes back from
// there as a file when it is needed. What is no file, a name that a server knows, stays as it is.
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
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

/** The same where it can be read: a file in this folder. Throws BlobMissing where it is no more. */
export async function atHand(
  checkpoint: Checkpoint | null,
  folder: string,
  blobs: () => Promise<Blobs>,
): Promise<Checkpoint | null> {
  if (checkpoint === null || checkpoint.reference !== checkpoint.digest) return checkpoint;
  const path = join(folder, checkpoint.digest);
  if (!existsSync(path)) {
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
  { model }: Pick<Learner, 'model'>,
  folder: string,
  blobs: () => Promise<Blobs>,
): Promise<Checkpoint | null> {
  return model === null ? await atHand(checkpoint, folder, blobs) : checkpoint;
}
