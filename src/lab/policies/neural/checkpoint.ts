// A checkpoint of the neural policy: its weights as named tensors, with words that say what they are for. What a trainer
// needs to go on stands in the same file under names of its own.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { tensors, weightCount } from './network.ts';
import type { NamedTensor, TensorFile } from './safetensors.ts';

/** Weights of another shape are another architecture. */
export const architecture = 'icecore-lake-64-64/1';

export class WrongCheckpoint extends IcecoreError {
  override readonly name = 'WrongCheckpoint';

  constructor(found: string, allowed: string, path?: string) {
    const what = path === undefined ? 'this checkpoint' : path;
    super('bad-input', `${what} is not for the neural policy of this icecore: found ${found}, allowed: ${allowed}`, {
      facts: { found, allowed, ...(path === undefined ? {} : { path }) },
    });
  }

  /** The same of a file. */
  in(path: string): WrongCheckpoint {
    return new WrongCheckpoint(String(this.facts['found']), String(this.facts['allowed']), path);
  }
}

/** One array as long as all weights, as tensors named after its parts: policy.first.weight and so on. */
export function tensorsOf(role: string, values: Float32Array | Float64Array): NamedTensor[] {
  return tensors.map(({ name, from, shape }) => ({
    name: `${role}.${name}`,
    shape,
    values: Float32Array.from(values.subarray(from, from + sizeOf(shape))),
  }));
}

/** The other way round. Throws WrongCheckpoint where a tensor is missing or of another shape. */
export function valuesOf(role: string, file: TensorFile): Float64Array {
  const found = file.metadata['architecture'] ?? 'no architecture';
  if (found !== architecture) throw new WrongCheckpoint(found, architecture);
  const values = new Float64Array(weightCount);
  for (const { name, from, shape } of tensors) {
    const tensor = file.tensors.find((one) => one.name === `${role}.${name}`);
    if (tensor === undefined) throw new WrongCheckpoint(`no tensor ${role}.${name}`, 'one of each name');
    if (tensor.shape.join() !== shape.join()) {
      throw new WrongCheckpoint(`${tensor.name} of shape ${tensor.shape.join(' x ')}`, shape.join(' x '));
    }
    const strange = tensor.values.find((value) => !Number.isFinite(value));
    if (strange !== undefined) throw new WrongCheckpoint(`${tensor.name} with a ${strange} in it`, 'finite numbers');
    values.set(tensor.values, from);
  }
  return values;
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, side) => product * side, 1);
}
