// Checkpoints of one training in its folder: written whole or not at all, and found again after a stop.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkpoint } from '../../policies/policy.ts';
import { FolderTaken } from '../errors.ts';
import type { WrittenCourse } from './course.ts';
import { digestOf, fileOf, type Kept, keptIn, type State } from './state.ts';

const pattern = /^update-([0-9]+)\.safetensors$/;

export interface Place {
  readonly folder: string;
  /** Tells this training from others in the same folder. */
  readonly training: string;
}

/** Where a training was stopped; null where it was not begun. Throws FolderTaken where the folder holds another one. */
export async function latestIn({ folder, training }: Place): Promise<Kept | null> {
  await mkdir(folder, { recursive: true });
  const newest = (await readdir(folder))
    .filter((name) => pattern.test(name))
    .reduce((most, name) => Math.max(most, updateOf(name)), -1);
  if (newest < 0) return null;
  const kept = keptIn(await readFile(pathOf(folder, newest)));
  if (kept.training !== training) throw new FolderTaken(folder);
  return kept;
}

/** Only the newest is gone on from: older ones are removed. */
export async function keep({ folder, training }: Place, state: State, course: WrittenCourse): Promise<Checkpoint> {
  const file = fileOf(state, training, course);
  const path = pathOf(folder, state.update);
  await writeWhole(path, file);
  for (const name of await readdir(folder)) {
    if (pattern.test(name) && updateOf(name) < state.update) await rm(join(folder, name));
  }
  return { reference: path, digest: digestOf(file), bytes: file.length, step: state.update };
}

export async function writeWhole(path: string, file: Uint8Array): Promise<void> {
  const part = `${path}.part`;
  await writeFile(part, file, { flush: true });
  await rename(part, path);
}

function pathOf(folder: string, update: number): string {
  return join(folder, `update-${update}.safetensors`);
}

function updateOf(name: string): number {
  return Number(pattern.exec(name)?.[1] ?? -1);
}
