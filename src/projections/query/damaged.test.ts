// A damaged file is recognised wherever the damage is: the caller rebuilds the tables and repeats the query. DuckDB
// stores a checksum with each block, so no wrong row is returned.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BrokenTables } from '../warehouse/errors.ts';
import { openQuestions } from './questions.ts';
import { rowsOf, type Sample, sampleTables } from './testing/tables.ts';

let sample: Sample;
let whole: Buffer;
let truth: unknown;
const everything = 'SELECT count(*), sum(hash(r)) FROM log.rollouts r';
const copy = (): string => join(sample.folder, 'copy.duckdb');

beforeAll(async () => {
  sample = await sampleTables();
  whole = readFileSync(sample.path);
  truth = await answerOf(whole);
});
afterAll(() => sample.remove());

async function answerOf(bytes: Uint8Array): Promise<unknown> {
  writeFileSync(copy(), bytes);
  try {
    const questions = await openQuestions(copy(), { memoryMegabytes: 100, seconds: 20 });
    try {
      return await rowsOf(await questions.ask(everything));
    } finally {
      await questions.close();
    }
  } catch (error) {
    return error;
  }
}

/** An unused part of the file may contain anything. */
const isNoticedOrWhole = (found: unknown): void => {
  if (!(found instanceof BrokenTables)) expect(found).toEqual(truth);
};

it.each([0.0001, 0.3, 0.5, 0.7, 0.9999])('a flipped bit at %d of the file is detected or harmless', async (share) => {
  const bytes = Buffer.from(whole);
  const at = Math.floor(bytes.length * share);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
  isNoticedOrWhole(await answerOf(bytes));
});

it.each([0.5, 0.9])('a truncation at %d of the file is detected or harmless', async (share) => {
  isNoticedOrWhole(await answerOf(whole.subarray(0, whole.length * share)));
});

it('damage in the rows of the file has its own error', async () => {
  const bytes = Buffer.from(whole);
  for (let at = 12_288; at < bytes.length; at += 4096) bytes.writeUInt8(bytes.readUInt8(at + 9) ^ 4, at + 9);
  expect(await answerOf(bytes)).toMatchObject({ name: 'BrokenTables', kind: 'damaged', facts: { path: copy() } });
});

it.each([
  ['an empty file', () => Buffer.alloc(0)],
  ['a file cut after its first bytes', () => whole.subarray(0, 100)],
  ['a file cut after its headers', () => whole.subarray(0, 12_288)],
  ['a file cut after its first block', () => whole.subarray(0, 100_000)],
  ['a text file', () => Buffer.from('run,stage\n'.repeat(5_000))],
])('%s is reported as broken', async (_, bytes) => {
  expect(await answerOf(bytes())).toBeInstanceOf(BrokenTables);
});
