// Checkpoints of one training in its folder: written whole or not at all, and found again after a stop.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../../base/regular-file.ts';
import { writeWhole } from '../../../base/write-whole.ts';
import { WrongCheckpoint } from '../../policies/neural/checkpoint.ts';
import { mostCheckpointBytes } from '../../policies/neural/checkpoint-file.ts';
import { decode, NotSafetensors } from '../../policies/neural/safetensors.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import { FolderTaken } from '../errors.ts';
import type { WrittenCourse } from './course.ts';
import { CannotGoOn } from './errors.ts';
import { digestOf, fileOf, type Kept, keptIn, type State } from './state.ts';

const pattern = /^update-([0-9]+)\.safetensors$/;

export interface Place {
  readonly folder: string;
  /** Tells this training from others in the same folder. */
  readonly training: string;
}

export interface Latest extends Kept {
  readonly checkpoint: Checkpoint;
}

/**
 * Where a training was stopped; null where it was not begun. Throws FolderTaken where the folder holds another one, and
 * CannotGoOn where what was saved is damaged, or NotRegularFile.
 */
export async function latestIn({ folder, training }: Place): Promise<Latest | null> {
  await mkdir(folder, { recursive: true });
  const newest = (await readdir(folder))
    .filter((name) => pattern.test(name))
    .reduce((most, name) => Math.max(most, updateOf(name)), -1);
  if (newest < 0) return null;
  const path = pathOf(folder, newest);
  const file = readRegularFile(path, mostCheckpointBytes);
  const kept = keptFrom(file, path);
  if (kept.training !== training) throw new FolderTaken(folder);
  return { ...kept, checkpoint: checkpointOf(path, file, newest) };
}

function keptFrom(file: Uint8Array, path: string): Kept {
  try {
    return keptIn(decode(file));
  } catch (error) {
    if (error instanceof NotSafetensors || error instanceof WrongCheckpoint) throw new CannotGoOn(path, error);
    throw error;
  }
}

/** Only the newest is gone on from: older ones are removed. */
export async function keep({ folder, training }: Place, state: State, course: WrittenCourse): Promise<Checkpoint> {
  const file = fileOf(state, training, course);
  const path = pathOf(folder, state.update);
  await writeWhole(path, file);
  for (const name of await readdir(folder)) {
    if (pattern.test(name) && updateOf(name) < state.update) await rm(join(folder, name));
  }
  return checkpointOf(path, file, state.update);
}

function checkpointOf(path: string, file: Uint8Array, step: number): Checkpoint {
  return { reference: path, digest: digestOf(file), bytes: file.length, step };
}

function pathOf(folder: string, update: number): string {
  return join(folder, `update-${update}.safetensors`);
}

function updateOf(name: string): number {
  return Number(pattern.exec(name)?.[1] ?? -1);
}
