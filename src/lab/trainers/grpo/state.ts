// Where training stands: all that going on as if it had never stopped needs. Random choices are named by update, so how
// many updates were made is the whole random state.
import { hash } from 'node:crypto';
import { architecture, tensorsOf, valuesOf, WrongCheckpoint } from '../../policies/neural/checkpoint.ts';
import { decode, encode, type TensorFile } from '../../policies/neural/safetensors.ts';
import type { Adam } from './adam.ts';
import type { WrittenCourse } from './course.ts';

/** What the policy is at some point, and what its optimiser remembers. */
export interface Snapshot {
  readonly weights: Float64Array;
  readonly adam: Adam;
  /** How many updates were ever made with this optimiser. */
  readonly updatesEver: number;
}

export interface State extends Snapshot {
  /** What the weights were before this training. */
  readonly reference: Float64Array;
  /** How many updates and decisions were made in this training. */
  readonly update: number;
  readonly decisions: number;
}

export interface Kept {
  readonly state: State;
  /** Tells its training from others: only that goes on from here in the middle. */
  readonly training: string;
  readonly course: WrittenCourse | null;
}

export function fileOf(state: State, training: string, course: WrittenCourse | null): Uint8Array {
  return encode({
    tensors: [
      ...tensorsOf('policy', state.weights),
      ...tensorsOf('adam.first', state.adam.firsts),
      ...tensorsOf('adam.second', state.adam.seconds),
      ...tensorsOf('reference', state.reference),
    ],
    metadata: {
      architecture,
      training,
      update: String(state.update),
      updatesEver: String(state.updatesEver),
      decisions: String(state.decisions),
      course: JSON.stringify(course),
    },
  });
}

/** Throws NotSafetensors or WrongCheckpoint. */
export function keptIn(file: Uint8Array): Kept {
  const read = decode(file);
  const state: State = {
    ...snapshotIn(read),
    reference: valuesOf('reference', read),
    update: wholeIn(read, 'update'),
    decisions: wholeIn(read, 'decisions'),
  };
  return { state, training: read.metadata['training'] ?? '', course: courseIn(read) };
}

/** What another training can start from. Throws WrongCheckpoint. */
export function snapshotIn(file: TensorFile): Snapshot {
  return {
    weights: valuesOf('policy', file),
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
    throw new WrongCheckpoint(`${name} ${JSON.stringify(text)}`, `the number of ${name} among its words`);
  }
  return value;
}

/** What stands there was written by a training, whose digest is looked at before. */
function courseIn({ metadata }: TensorFile): WrittenCourse | null {
  try {
    return JSON.parse(metadata['course'] ?? 'null');
  } catch {
    throw new WrongCheckpoint('a course that is no JSON', 'the course of a training as JSON');
  }
}

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
