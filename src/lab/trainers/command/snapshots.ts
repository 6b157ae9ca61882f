// What a program says it saved, as a checkpoint: a file is looked at and its digest computed.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Checkpoint } from '../../policies/policy.ts';
import { Misspoken, type Snapshot } from './messages.ts';

/** A checkpoint, and whether it is a file that was looked at. */
export interface Saved {
  readonly checkpoint: Checkpoint;
  readonly isFile: boolean;
}

/** `step` is the update it was made at unless the program says otherwise. Throws Misspoken where the file is not what it says. */
export async function savedFrom(snapshot: Snapshot, folder: string, step: number): Promise<Saved> {
  if (!('file' in snapshot)) return { checkpoint: { step, ...snapshot }, isFile: false };
  const reference = resolve(folder, snapshot.file);
  const seen = await look(reference);
  if (seen === null)
    throw new Misspoken(`file: found ${reference}, where there is no file, allowed: a file that is there`);
  if (snapshot.digest !== undefined && snapshot.digest !== seen.digest) {
    throw new Misspoken(`digest: found ${snapshot.digest}, allowed: ${seen.digest}, which is that of ${reference}`);
  }
  return { checkpoint: { reference, ...seen, step: snapshot.step ?? step }, isFile: true };
}

/** Whether what was saved is still there and the same. What is elsewhere is taken to be. */
export async function isStillThere({ checkpoint, isFile }: Saved): Promise<boolean> {
  return !isFile || (await look(checkpoint.reference))?.digest === checkpoint.digest;
}

async function look(path: string): Promise<{ digest: string; bytes: number } | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { digest: hash.digest('hex'), bytes: found.size };
}
