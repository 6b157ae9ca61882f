// What a training starts from, by a word: the checkpoint in a file or in the folder of another training, looked at before
// anybody relies on it; the base snapshot; or, for a program, whatever it knows by that name.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LakeConfiguration } from '../../lab/lake/configuration.ts';
import { WrongCheckpoint } from '../../lab/policies/neural/checkpoint.ts';
import { decode, NotSafetensors } from '../../lab/policies/neural/safetensors.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { writeBase } from '../../lab/trainers/grpo/base.ts';
import { snapshotIn } from '../../lab/trainers/grpo/state.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { chosen } from '../policies/choice.ts';
import { BadCheckpoint } from '../policies/errors.ts';

/** For the trainer that is built in. Throws NoSuchCheckpoint, NoCheckpointIn and BadCheckpoint. */
export async function ownCheckpoint(word: string, cwd: string): Promise<Checkpoint> {
  const choice = chosen(resolve(cwd, word), { cwd, entries: new Map() });
  const path = choice.kind === 'checkpoint' ? choice.path : word;
  const bytes = await readFile(path);
  refuseUnusable(path, bytes);
  return { reference: path, digest: sha256(bytes), bytes: bytes.length };
}

function refuseUnusable(path: string, bytes: Buffer): void {
  try {
    snapshotIn(decode(bytes));
  } catch (fault) {
    if (fault instanceof NotSafetensors || fault instanceof WrongCheckpoint) throw new BadCheckpoint(path, fault);
    throw fault;
  }
}

/** For a program: a file by its digest, a folder by its path, everything else by its name alone. */
export async function anyCheckpoint(word: string, cwd: string): Promise<Checkpoint> {
  const path = resolve(cwd, word);
  const found = await readFile(path).catch((fault: NodeJS.ErrnoException) => fault);
  if (Buffer.isBuffer(found)) return { reference: path, digest: sha256(found), bytes: found.length };
  if (found.code === 'EISDIR') return { reference: path };
  if (found.code === 'ENOENT' || found.code === 'ENOTDIR') return { reference: word };
  throw found;
}

/** As writeBase calls it. */
const baseName = 'base.safetensors';

/** The base snapshot in the folder of a training: found, or made. Throws BadCheckpoint where what is found is none. */
export async function baseCheckpoint(
  configuration: LakeConfiguration,
  seed: string,
  folder: string,
): Promise<Checkpoint> {
  const isThere = existsSync(join(folder, baseName));
  return isThere ? await ownCheckpoint(baseName, folder) : await writeBase(configuration, seed, folder);
}
