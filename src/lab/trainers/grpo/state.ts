// Where training stands: all that going on as if it had never stopped needs. Random choices are named by update, so how
// many updates were made is the whole random state.
import { hash } from 'node:crypto';
import { architecture, tensorsOf, valuesOf } from '../../policies/neural/checkpoint.ts';
import { decode, encode } from '../../policies/neural/safetensors.ts';
import type { Adam } from './adam.ts';

export interface State {
  readonly weights: Float64Array;
  readonly adam: Adam;
  /** What the weights were before this training. */
  readonly reference: Float64Array;
  /** How many updates were made, in this training and altogether. */
  readonly update: number;
  readonly updatesEver: number;
  /** In this training. */
  readonly decisions: number;
}

/** `training` tells this training from others: only it goes on from here in the middle. */
export function fileOf(state: State, training: string): Uint8Array {
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
    },
  });
}

export function stateOf(file: Uint8Array): State & { readonly training: string } {
  const read = decode(file);
  const number = (name: string): number => Number(read.metadata[name] ?? 0);
  return {
    weights: valuesOf('policy', read),
    adam: {
      firsts: Float32Array.from(valuesOf('adam.first', read)),
      seconds: Float32Array.from(valuesOf('adam.second', read)),
    },
    reference: valuesOf('reference', read),
    update: number('update'),
    updatesEver: number('updatesEver'),
    decisions: number('decisions'),
    training: read.metadata['training'] ?? '',
  };
}

export function digestOf(file: Uint8Array): string {
  return hash('sha256', file);
}
