// A checkpoint of the neural policy: its weights as named tensors, with metadata. The state that a trainer needs to resume is in the same
// file under other names.

import { hash } from 'node:crypto';
import { IcecoreError } from '../../schemas/errors.ts';
import { isObject, parseJson } from '../../schemas/json-text.ts';
import { type Checkpoint, NotRegularFile, readRegularFile } from '../../src/library/plugins/tools.ts';
import { sizeOf, tensors, weightCount } from './network.ts';

/** Weights with other shapes have another architecture. */
export const architecture = 'icecore-lake-64-64/1';

export class WrongCheckpoint extends IcecoreError {
  override readonly name = 'WrongCheckpoint';

  constructor(found: string, allowed: string, path?: string) {
    const what = path === undefined ? 'this checkpoint' : path;
    super('bad-input', `${what} is not for the neural policy of this icecore: found ${found}, allowed: ${allowed}`, {
      facts: { found, allowed, ...(path === undefined ? {} : { path }) },
    });
  }

  /** The same error for a file. */
  in(path: string): WrongCheckpoint {
    return new WrongCheckpoint(String(this.facts['found']), String(this.facts['allowed']), path);
  }
}

/** Splits one array with all weights into named tensors: policy.first.weight and so on. */
export function tensorsOf(role: string, values: Float32Array | Float64Array): NamedTensor[] {
  return tensors.map(({ name, from, shape }) => ({
    name: `${role}.${name}`,
    shape,
    values: Float32Array.from(values.subarray(from, from + sizeOf(shape))),
  }));
}

/** The reverse. Throws WrongCheckpoint if a tensor is missing or has another shape. */
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

// Checkpoints in files: read whole, and only if they match their record.

export class CheckpointMissing extends IcecoreError {
  override readonly name = 'CheckpointMissing';

  constructor(path: string, cause: unknown) {
    super('not-found', `${path}: there is no readable checkpoint`, { facts: { path }, cause });
  }
}

export class CheckpointChanged extends IcecoreError {
  override readonly name = 'CheckpointChanged';

  constructor(path: string, found: string, recorded: string) {
    super('damaged', `${path}: this is not the recorded checkpoint: its digest is ${found}, not ${recorded}`, {
      facts: { path, found, recorded },
    });
  }
}

/** Far more than the network and its optimiser need. */
export const maxCheckpointBytes = 256 * 2 ** 20;

/** Throws CheckpointMissing, NotRegularFile, CheckpointChanged, NotSafetensors or errors of `read`, each with the path. */
export async function readCheckpoint<Read>(
  { reference, digest }: Checkpoint,
  read: (file: TensorFile) => Read,
): Promise<Read> {
  const file = bytesOf(reference);
  const found = hash('sha256', file);
  if (digest !== undefined && digest !== found) throw new CheckpointChanged(reference, found, digest);
  try {
    return read(decode(file));
  } catch (error) {
    if (error instanceof NotSafetensors || error instanceof WrongCheckpoint) throw error.in(reference);
    throw error;
  }
}

function bytesOf(path: string): Buffer {
  try {
    return readRegularFile(path, maxCheckpointBytes);
  } catch (error) {
    throw error instanceof NotRegularFile ? error : new CheckpointMissing(path, error);
  }
}

// Files of named tensors with metadata, in the safetensors format, which Python reads too: the length of the header, the header as JSON,
// then the numbers, one tensor after the other, in little-endian order.

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
    super('bad-input', `${what} is not a checkpoint in the safetensors format: found ${found}, allowed: ${allowed}`, {
      facts: { found, allowed, ...(path === undefined ? {} : { path }) },
    });
  }

  /** The same error for a file. */
  in(path: string): NotSafetensors {
    return new NotSafetensors(String(this.facts['found']), String(this.facts['allowed']), path);
  }
}

/** Real headers are much smaller. */
const longestHeader = 1 << 20;

/** Numbers start at a multiple of 8. */
const alignment = 8;

/** The same tensors and metadata give the same bytes. */
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
  if (header.length > longestHeader) throw new RangeError(`a header of ${header.length} bytes is too long`);
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

/** Throws NotSafetensors with the reason. Tensors must cover the file completely, without overlaps. */
export function decode(file: Uint8Array): TensorFile {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const header = headerOf(file, view);
  const numbers = 8 + header.length;
  const { __metadata__: metadata, ...entries } = header.value;
  const places = Object.entries(entries).map(([name, entry]) => placeOf(name, entry));
  requireFilled(places, file.length - numbers);
  return { tensors: places.map((place) => tensorAt(place, view, numbers)), metadata: wordsOf(metadata) };
}

function headerOf(file: Uint8Array, view: DataView): { length: number; value: Record<string, unknown> } {
  if (file.length < 8) throw new NotSafetensors(`${file.length} bytes`, 'at least 8');
  const length = Number(view.getBigUint64(0, true));
  if (length > longestHeader || 8 + length > file.length) {
    throw new NotSafetensors(
      `a header of ${length} bytes in ${file.length}`,
      'a header within the file, of at most 1 MiB',
    );
  }
  let value: unknown;
  try {
    value = parseJson(utf8.decode(file.subarray(8, 8 + length)));
  } catch {
    throw new NotSafetensors('a header that is not JSON', 'a JSON object');
  }
  if (!isObject(value)) throw new NotSafetensors('a header that is not an object', 'a JSON object');
  return { length, value };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A tensor in the header. Offsets are relative to the end of the header. */
interface Place {
  readonly name: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function placeOf(name: string, entry: unknown): Place {
  const { dtype, shape, data_offsets: offsets } = isObject(entry) ? entry : {};
  if (dtype !== 'F32') throw new NotSafetensors(`tensor ${valueText(name)} of type ${valueText(dtype)}`, 'F32');
  if (!isWholes(shape) || !isWholes(offsets) || offsets.length !== 2) {
    throw new NotSafetensors(`tensor ${valueText(name)} without shape or offsets`, 'shape and data_offsets');
  }
  const [begin, end] = offsets as readonly [number, number];
  const bytes = 4 * sizeOf(shape);
  if (end - begin !== bytes) {
    throw new NotSafetensors(`tensor ${valueText(name)} at bytes ${begin} to ${end}`, `a range of ${bytes} bytes`);
  }
  return { name, shape, begin, end };
}

/** Without this check, small headers that reuse the same bytes would take any amount of memory. */
function requireFilled(places: readonly Place[], bytes: number): void {
  let filled = 0;
  for (const { name, begin, end } of places.toSorted((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== filled) {
      throw new NotSafetensors(
        `tensor ${valueText(name)} from byte ${begin}`,
        `${filled}, the end of the previous tensors`,
      );
    }
    filled = end;
  }
  if (filled !== bytes) throw new NotSafetensors(`tensors of ${filled} bytes`, `the ${bytes} that the file has`);
}

function tensorAt({ name, shape, begin, end }: Place, view: DataView, numbers: number): NamedTensor {
  const values = new Float32Array((end - begin) / 4);
  for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(numbers + begin + 4 * i, true);
  return { name, shape, values };
}

/** Null counts as missing, as in Python. */
function wordsOf(metadata: unknown): Readonly<Record<string, string>> {
  if (metadata === undefined || metadata === null) return {};
  if (!isObject(metadata)) throw new NotSafetensors(`__metadata__: ${valueText(metadata)}`, 'an object of texts');
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value === 'string') continue;
    throw new NotSafetensors(`__metadata__.${valueText(name)}: ${valueText(value)}`, 'a text');
  }
  return metadata as Readonly<Record<string, string>>;
}

function isWholes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
}

/** The beginning of a text; for other values, which may be large, their type. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return value === null || typeof value === 'number' ? String(value) : typeof value;
}
