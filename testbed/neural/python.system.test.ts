// Python's safetensors package and icecore read each other's files. ICECORE_TEST_PYTHON names a Python with it; by default that is
// .cache/python/bin/python3 or python3.
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listed } from '../../src/lab/environments/contract/tasks.ts';
import type { Checkpoint } from '../../src/lab/policies/policy.ts';
import { openGrpo } from '../grpo/grpo.ts';
import { savedIn } from '../grpo/state.ts';
import { startConfiguration } from '../lake/configuration.ts';
import { openLake } from '../lake/environment.ts';
import { architecture, decode, type NamedTensor, NotSafetensors } from './checkpoint.ts';
import { openNeural } from './neural.ts';

const installed = fileURLToPath(new URL('../../.cache/python/bin/python3', import.meta.url));
const python = process.env['ICECORE_TEST_PYTHON'] ?? (existsSync(installed) ? installed : 'python3');
const reason = whyNot();
if (reason !== null) console.warn(`The tests of checkpoints in Python are skipped: ${reason}`);

function whyNot(): string | null {
  const { status } = spawnSync(python, ['-c', 'import numpy, safetensors']);
  if (status === 0) return null;
  return (
    `${python} has no numpy and safetensors. ` +
    'Run `python3 -m venv .cache/python && .cache/python/bin/pip install numpy safetensors`, or set ICECORE_TEST_PYTHON.'
  );
}

/** Runs a program that prints JSON. */
function said(program: string, ...words: string[]): unknown {
  return JSON.parse(execFileSync(python, ['-c', program, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 }));
}

const opening = `
import hashlib, json, sys
from safetensors import safe_open
with safe_open(sys.argv[1], framework="np") as file:
    tensors = {name: file.get_tensor(name) for name in file.keys()}
    metadata = file.metadata()
summaries = {
    name: {
        "dtype": str(values.dtype),
        "shape": list(values.shape),
        "sum": values.astype("float64").sum(),
        "bytes": hashlib.sha256(values.astype("<f4").tobytes()).hexdigest(),
    }
    for name, values in tensors.items()
}
print(json.dumps({"metadata": metadata, "tensors": summaries}))
`;

/** Python's package orders tensors itself, and writes neither padding nor metadata unless given. */
const writing = `
import json, sys
from safetensors import safe_open
from safetensors.numpy import save_file
source, target, dtype = sys.argv[1:]
with safe_open(source, framework="np") as file:
    tensors = {name: file.get_tensor(name).astype(dtype) for name in reversed(list(file.keys()))}
    save_file(tensors, target, metadata=file.metadata())
print("null")
`;

/** For files that are concatenated with length prefixes: which of them Python accepts. */
const taking = `
import json, struct, sys
import safetensors
accepted, files = [], open(sys.argv[1], "rb")
while begin := files.read(4):
    try:
        safetensors.deserialize(files.read(struct.unpack("<I", begin)[0]))
        accepted.append(True)
    except safetensors.SafetensorError:
        accepted.append(False)
print(json.dumps(accepted))
`;

const roles = ['policy', 'trained', 'adam.first', 'adam.second', 'reference'];
const parts = ['first.weight', 'first.bias', 'second.weight', 'second.bias', 'out.weight', 'out.bias'];

/** In the form that Python prints. Numbers are compared by their bytes; the sum is for readers. */
function summaryOf({ shape, values }: NamedTensor): object {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  for (const [i, value] of values.entries()) view.setFloat32(4 * i, value, true);
  return {
    dtype: 'float32',
    shape,
    sum: expect.closeTo(
      values.reduce((sum, value) => sum + value, 0),
      6,
    ),
    bytes: hash('sha256', new Uint8Array(view.buffer)),
  };
}

async function trained(folder: string): Promise<Checkpoint> {
  const training = openGrpo({ threads: 1, settings: { groups: 8, samples: 4, saveEvery: 5 } }).train({
    configuration: { ...startConfiguration },
    from: null,
    budget: { 'agent-steps': 2000 },
    seed: 'one',
    folder,
  });
  for (;;) {
    const { done, value } = await training.next();
    if (done !== true) continue;
    if (value.checkpoint === null) throw new Error('training wrote no checkpoint');
    return value.checkpoint;
  }
}

describe.skipIf(reason !== null)('a checkpoint', () => {
  let folder: string;
  let checkpoint: Checkpoint;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'icecore-python-'));
    checkpoint = await trained(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rewritten = (dtype: string): string => {
    const target = join(folder, `${dtype}.safetensors`);
    said(writing, checkpoint.reference, target, dtype);
    return target;
  };

  it('is read by Python with the same names, shapes, numbers and metadata', () => {
    const { tensors, metadata } = decode(readFileSync(checkpoint.reference));
    expect(tensors.map(({ name }) => name)).toEqual(roles.flatMap((role) => parts.map((part) => `${role}.${part}`)));
    expect(tensors.some(({ values }) => values.some((value) => value !== 0))).toBe(true);
    expect(metadata).toMatchObject({ architecture, update: String(checkpoint.step) });
    expect(said(opening, checkpoint.reference)).toEqual({
      metadata,
      tensors: Object.fromEntries(tensors.map((tensor) => [tensor.name, summaryOf(tensor)])),
    });
  });

  it('is the same when Python has written it in another order', async () => {
    const reference = rewritten('float32');
    const [ours, theirs] = [checkpoint.reference, reference].map((file) => readFileSync(file)) as [Buffer, Buffer];
    const names = (file: Buffer): string[] => decode(file).tensors.map(({ name }) => name);
    expect(names(theirs)).not.toEqual(names(ours));
    expect(names(theirs).toSorted()).toEqual(names(ours).toSorted());
    expect(savedIn(decode(theirs))).toEqual(savedIn(decode(ours)));
    expect(await plansOf({ reference })).toEqual(await plansOf(checkpoint));
  });

  it('is refused whenever Python refuses it', () => {
    const sound = readFileSync(checkpoint.reference);
    const harmed = fc.sample(harmTo(sound), { numRuns: 300, seed: 1 });
    const path = join(folder, 'harmed');
    writeFileSync(
      path,
      Buffer.concat(harmed.flatMap((file) => [Buffer.from(Uint32Array.of(file.length).buffer), file])),
    );
    const theirs = said(taking, path) as boolean[];
    const ours = harmed.map((file) => isTaken(file));
    expect(theirs).toHaveLength(ours.length);
    expect(new Set(theirs)).toEqual(new Set([true, false]));
    expect(ours.filter((isTaken, i) => isTaken && theirs[i] === false)).toEqual([]);
  });

  it('with another number type is refused', () => {
    const found = /tensor "?[a-z.]+"? of type "F16", allowed: F32/;
    expect(() => decode(readFileSync(rewritten('float16')))).toThrow(NotSafetensors);
    expect(() => decode(readFileSync(rewritten('float16')))).toThrow(found);
  });
});

/** Changes one byte of the header or its length, or truncates or extends the file. */
function harmTo(sound: Buffer): fc.Arbitrary<Buffer> {
  const header = 8 + Number(sound.readBigUInt64LE());
  const likely = fc.constantFrom(...Buffer.from('0123456789[]{}",: .-eFa'));
  const byte = fc
    .record({ at: fc.nat(header - 1), to: fc.oneof(likely, fc.nat(255)) })
    .map(({ at, to }) => Buffer.concat([sound.subarray(0, at), Buffer.of(to), sound.subarray(at + 1)]));
  const cut = fc.nat(sound.length).map((length) => sound.subarray(0, length));
  return fc.oneof({ weight: 8, arbitrary: byte }, cut, fc.constant(Buffer.concat([sound, Buffer.of(0)])));
}

function isTaken(file: Buffer): boolean {
  try {
    decode(file);
    return true;
  } catch (error) {
    if (error instanceof NotSafetensors) return false;
    throw error;
  }
}

async function plansOf(checkpoint: Checkpoint): Promise<unknown[]> {
  const lake = openLake();
  const policy = await openNeural(checkpoint, { threads: 1 });
  try {
    const tasks = await listed(lake.suite('agents-2-wait-25-of-10'));
    return await listed(policy.plan({ tasks, seed: 'seven' }));
  } finally {
    await policy.close();
    await lake.close();
  }
}
