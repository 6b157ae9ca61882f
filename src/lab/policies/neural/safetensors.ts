// Files of named tensors with words beside, in the safetensors format, which Python reads too: the length of a header,
// the header as JSON, then the numbers, one tensor after the other, little end first.
import { IcecoreError } from '../../../../schemas/errors.ts';

export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface TensorFile {
  readonly tensors: readonly NamedTensor[];
  readonly metadata: Readonly<Record<string, string>>;
}

export class NotSafetensors extends IcecoreError {
  override readonly name = 'NotSafetensors';

  constructor(found: string, allowed: string, path?: string) {
    const what = path === undefined ? 'this' : path;
    super('bad-input', `${what} is no checkpoint in the safetensors format: found ${found}, allowed: ${allowed}`, {
      facts: { found, allowed, ...(path === undefined ? {} : { path }) },
    });
  }

  /** The same of a file. */
  in(path: string): NotSafetensors {
    return new NotSafetensors(String(this.facts['found']), String(this.facts['allowed']), path);
  }
}

/** Larger headers than this nobody writes on purpose. */
const longestHeader = 1 << 20;

/** Numbers begin where 8 divides. */
const alignment = 8;

/** The same tensors and words give the same bytes. */
export function encode({ tensors, metadata }: TensorFile): Uint8Array {
  const entries: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const { name, shape, values } of tensors) {
    const begin = end;
    end += 4 * values.length;
    entries[name] = { dtype: 'F32', shape, data_offsets: [begin, end] };
  }
  const text = JSON.stringify(entries);
  const bare = Buffer.byteLength(text);
  const header = Buffer.from(text + ' '.repeat((alignment - (bare % alignment)) % alignment));
  const file = new Uint8Array(8 + header.length + end);
  const view = new DataView(file.buffer);
  view.setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  let at = 8 + header.length;
  for (const { values } of tensors) {
    for (const value of values) {
      view.setFloat32(at, value, true);
      at += 4;
    }
  }
  return file;
}

/** Throws NotSafetensors, naming what is wrong. */
export function decode(file: Uint8Array): TensorFile {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const header = headerOf(file, view);
  const numbers = 8 + header.length;
  const { __metadata__: metadata = {}, ...entries } = header.value;
  const tensors = Object.entries(entries).map(([name, entry]) => tensorOf(name, entry, view, numbers));
  return { tensors, metadata: metadata as Readonly<Record<string, string>> };
}

function headerOf(file: Uint8Array, view: DataView): { length: number; value: Record<string, unknown> } {
  if (file.length < 8) throw new NotSafetensors(`${file.length} bytes`, 'at least 8');
  const length = Number(view.getBigUint64(0, true));
  if (length > longestHeader || 8 + length > file.length) {
    throw new NotSafetensors(
      `a header of ${length} bytes in ${file.length}`,
      'a header within the file, of 1 MiB at most',
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(file.subarray(8, 8 + length)).toString());
  } catch {
    throw new NotSafetensors('a header that is no JSON', 'a JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new NotSafetensors('a header that is no object', 'a JSON object');
  }
  return { length, value: value as Record<string, unknown> };
}

function tensorOf(name: string, entry: unknown, view: DataView, numbers: number): NamedTensor {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (dtype !== 'F32') throw new NotSafetensors(`tensor ${name} of type ${JSON.stringify(dtype)}`, 'F32');
  if (!isWholes(shape) || !isWholes(offsets) || offsets.length !== 2) {
    throw new NotSafetensors(`tensor ${name} without shape or place`, 'shape and data_offsets');
  }
  const [begin, end] = offsets as readonly [number, number];
  const count = shape.reduce((product, side) => product * side, 1);
  if (end - begin !== 4 * count || numbers + end > view.byteLength) {
    throw new NotSafetensors(`tensor ${name} at bytes ${begin} to ${end}`, `${4 * count} bytes within the file`);
  }
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = view.getFloat32(numbers + begin + 4 * i, true);
  return { name, shape, values };
}

function isWholes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
}
