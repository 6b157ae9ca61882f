// Where training stands: all that going on as if it had never stopped needs. Random choices are named by update, so how
// many updates were made is the whole random state.
import { createHash, hash } from 'node:crypto';
import { parseJson } from '../../../../schemas/json-text.ts';
import { architecture, tensorsOf, valuesOf, WrongCheckpoint } from '../../policies/neural/checkpoint.ts';
import { encode, type NamedTensor, type TensorFile } from '../../policies/neural/safetensors.ts';
import type { Adam } from './adam.ts';
import type { WrittenCourse } from './course.ts';

/** What the policy is at some point, and what its optimiser remembers. */
export interface Snapshot {
  /** What is trained. */
  readonly weights: Float64Array;
  /** What plans with it are made with: the weights of late, on average. */
  readonly average: Float64Array;
  readonly adam: Adam;
  /** How many updates were ever made with this optimiser. */
  readonly updatesEver: number;
}

export interface State extends Snapshot {
  /** What the weights were before this training. */
  readonly reference: Float64Array;
  /** How many updates and agent steps were made in this training. */
  readonly update: number;
  readonly agentSteps: number;
}

export interface Kept {
  readonly state: State;
  /** Tells its training from others: only that goes on from here in the middle. */
  readonly training: string;
  readonly course: WrittenCourse | null;
}

export function fileOf(state: State, training: string, course: WrittenCourse | null): Uint8Array {
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
      course: JSON.stringify(course),
    },
  });
}

/** Throws WrongCheckpoint. */
export function keptIn(file: TensorFile): Kept {
  if (file.metadata['numbers'] !== numbersOf(file.tensors)) {
    throw new WrongCheckpoint('other numbers than were written', 'those that its words vouch for');
  }
  const state: State = {
    ...snapshotIn(file),
    reference: valuesOf('reference', file),
    update: wholeIn(file, 'update'),
    agentSteps: wholeIn(file, 'agentSteps'),
  };
  return { state, training: file.metadata['training'] ?? '', course: courseIn(file) };
}

/** SHA-256 of all numbers, in the order of their names: a file may have them in another one. */
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
    throw new WrongCheckpoint(`${name} ${JSON.stringify(text)}`, `the number of ${name} among its words`);
  }
  return value;
}

/** What stands there was written by a training, whose digest is looked at before. */
function courseIn({ metadata }: TensorFile): WrittenCourse | null {
  try {
    return parseJson(metadata['course'] ?? 'null') as WrittenCourse | null;
  } catch {
    throw new WrongCheckpoint('a course that is no JSON', 'the course of a training as JSON');
  }
}

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
