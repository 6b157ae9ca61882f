// The state of a training: everything needed to resume it with the same result. Random numbers are derived from the update, so the
// number of updates is the whole random state.

import { createHash, hash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../schemas/json-text.ts';
import { type Checkpoint, FolderTaken, readRegularFile, writeWhole } from '../../src/library/plugins/tools.ts';
import {
  architecture,
  decode,
  encode,
  maxCheckpointBytes,
  type NamedTensor,
  NotSafetensors,
  type TensorFile,
  tensorsOf,
  valuesOf,
  WrongCheckpoint,
} from '../neural/checkpoint.ts';
import type { Adam } from './learner.ts';
import type { WrittenRecord } from './progress.ts';
import { CannotGoOn } from './settings.ts';

/** The weights of the policy at some point, and the optimiser's moments. */
export interface Snapshot {
  /** The trained weights. */
  readonly weights: Float64Array;
  /** The weights used for planning: a running average of recent ones. */
  readonly average: Float64Array;
  readonly adam: Adam;
  /** Number of updates made with this optimiser. */
  readonly updatesEver: number;
}

export interface State extends Snapshot {
  /** The weights before this training. */
  readonly reference: Float64Array;
  /** Number of updates and agent steps in this training. */
  readonly update: number;
  readonly agentSteps: number;
}

interface SavedState {
  readonly state: State;
  /** Identifies its training; only that one can resume from here. */
  readonly training: string;
  readonly record: WrittenRecord | null;
}

export function fileOf(state: State, training: string, record: WrittenRecord | null): Uint8Array {
  const tensors = [
    ...tensorsOf('policy', state.average),
    ...tensorsOf('trained', state.weights),
    ...tensorsOf('adam.first', state.adam.firsts),
    ...tensorsOf('adam.second', state.adam.seconds),
    ...tensorsOf('reference', state.reference),
  ];
  return encode({
    tensors,
    metadata: {
      architecture,
      training,
      update: String(state.update),
      updatesEver: String(state.updatesEver),
      agentSteps: String(state.agentSteps),
      numbers: numbersOf(tensors),
      course: JSON.stringify(record),
    },
  });
}

/** Throws WrongCheckpoint. */
export function savedIn(file: TensorFile): SavedState {
  if (file.metadata['numbers'] !== numbersOf(file.tensors)) {
    throw new WrongCheckpoint('numbers that do not match their digest', 'numbers as they were written');
  }
  const state: State = {
    ...snapshotIn(file),
    reference: valuesOf('reference', file),
    update: wholeIn(file, 'update'),
    agentSteps: wholeIn(file, 'agentSteps'),
  };
  return { state, training: file.metadata['training'] ?? '', record: recordIn(file) };
}

/** SHA-256 of all numbers, ordered by name, because the order in a file may differ. */
function numbersOf(tensors: readonly NamedTensor[]): string {
  const sum = createHash('sha256');
  for (const { name, values } of tensors.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    sum.update(`${name} ${values.length}\n`);
    sum.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  return sum.digest('hex');
}

/** What another training can start from. Throws WrongCheckpoint. */
export function snapshotIn(file: TensorFile): Snapshot {
  return {
    weights: valuesOf('trained', file),
    average: valuesOf('policy', file),
    adam: {
      firsts: Float32Array.from(valuesOf('adam.first', file)),
      seconds: Float32Array.from(valuesOf('adam.second', file)),
    },
    updatesEver: wholeIn(file, 'updatesEver'),
  };
}

function wholeIn({ metadata }: TensorFile, name: string): number {
  const text = metadata[name] ?? '';
  const value = Number(text);
  if (text === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new WrongCheckpoint(`${name} ${JSON.stringify(text)}`, `the number of ${name} in its metadata`);
  }
  return value;
}

/** Trusted, because its digest was checked before. */
function recordIn({ metadata }: TensorFile): WrittenRecord | null {
  try {
    return parseJson(metadata['course'] ?? 'null') as WrittenRecord | null;
  } catch {
    throw new WrongCheckpoint('a course that is not JSON', 'the course of a training as JSON');
  }
}

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

// Checkpoints of one training in its folder: written atomically, and found again after a stop.

const pattern = /^update-([0-9]+)\.safetensors$/;

interface Place {
  readonly folder: string;
  /** Identifies this training among others in the same folder. */
  readonly training: string;
}

interface Latest extends SavedState {
  readonly checkpoint: Checkpoint;
}

/**
 * Where a training was stopped; null if it has not started. Throws FolderTaken if the folder contains another one, CannotGoOn if the
 * save is damaged, and NotRegularFile.
 */
export async function latestIn({ folder, training }: Place): Promise<Latest | null> {
  await mkdir(folder, { recursive: true });
  const newest = (await readdir(folder))
    .filter((name) => pattern.test(name))
    .reduce((most, name) => Math.max(most, updateOf(name)), -1);
  if (newest < 0) return null;
  const path = pathOf(folder, newest);
  const file = readRegularFile(path, maxCheckpointBytes);
  const kept = savedFrom(file, path);
  if (kept.training !== training) throw new FolderTaken(folder);
  return { ...kept, checkpoint: checkpointOf(path, file, newest) };
}

function savedFrom(file: Uint8Array, path: string): SavedState {
  try {
    return savedIn(decode(file));
  } catch (error) {
    if (error instanceof NotSafetensors || error instanceof WrongCheckpoint) throw new CannotGoOn(path, error);
    throw error;
  }
}

/** Only the newest save is needed to resume; older ones are removed. */
export async function keep({ folder, training }: Place, state: State, record: WrittenRecord): Promise<Checkpoint> {
  const file = fileOf(state, training, record);
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

/** Throws NotSafetensors and WrongCheckpoint if the bytes are not a checkpoint to plan with, or to train from. */
export function requireUsable(bytes: Buffer, use: 'plan' | 'train'): void {
  const file = decode(bytes);
  if (use === 'plan') valuesOf('policy', file);
  else snapshotIn(file);
}
