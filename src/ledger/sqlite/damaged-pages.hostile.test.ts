// Ledger files with damaged pages: whatever is overwritten, a verification ends with findings or with an error that names the
// damage, and so does every other way of reading.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { findingKinds } from '../../../schemas/finding-kinds.ts';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, run, runStream, seal, someRollouts } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { makeHead } from '../seal/head.ts';
import { verifyOpened } from '../verify/verify.ts';
import { pageSize } from './layout.ts';

let folder: string;
let original: Buffer;
let head: Awaited<ReturnType<typeof makeHead>>;
let copies = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-pages-'));
  const path = join(folder, 'original.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  const tree = new AttemptTree(ledger, evidenceStream);
  await ledger.append(notesStream, [note(0), note(1, 'long '.repeat(5000)), note(2)], { expect: 'none' });
  tree.appended(await ledger.append(evidenceStream, someRollouts(0, 60), { expect: 'any' }));
  await ledger.append(runStream, [seal([await tree.seal()])], { expect: 'none' });
  await ledger.append(notesStream, [note(3), note(4)], { expect: 2 });
  head = await makeHead(ledger);
  await ledger.close();
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  original = readFileSync(path);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Passes a file of these bytes to `look`, and removes it afterwards. */
async function withFile<Result>(bytes: Buffer, look: (url: string) => Promise<Result>): Promise<Result> {
  const path = join(folder, `${copies++}.db`);
  writeFileSync(path, bytes);
  try {
    return await look(`sqlite:${path}`);
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  }
}

async function withLedger<Result>(url: string, look: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = await openLedger(url, { readOnly: true });
  try {
    return await look(ledger);
  } finally {
    await ledger.close();
  }
}

/** The result of looking: an error must name the damage. */
async function named<Result>(look: Promise<Result>): Promise<Result | 'refused'> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof IcecoreError && ['damaged', 'newer-format', 'storage'].includes(error.kind)) return 'refused';
    throw error;
  }
}

async function verified(url: string, ofRun: string | null): Promise<number | 'refused'> {
  return await named(
    withLedger(url, async (ledger) => {
      const found = await verifyOpened(ledger, { blobs: null, run: ofRun, head: ofRun === null ? head : null });
      for (const { kind, says } of found.findings) {
        expect(findingKinds).toContain(kind);
        expect(says).not.toMatch(/TypeError|RangeError|Cannot read properties/);
      }
      return found.faults;
    }),
  );
}

async function readEveryWay(url: string): Promise<void> {
  await named(withLedger(url, async (ledger) => await collect(ledger.readAll())));
  await named(withLedger(url, async (ledger) => await collect(ledger.readAll({ backwards: true }))));
  await named(withLedger(url, async (ledger) => await collect(ledger.read(evidenceStream))));
  await named(withLedger(url, async (ledger) => await collect(ledger.read(notesStream, { backwards: true }))));
  await named(withLedger(url, async (ledger) => await collect(ledger.readAll({ types: ['EvidenceSealed'] }))));
  await named(withLedger(url, async (ledger) => await collect(ledger.streams())));
  await named(withLedger(url, async (ledger) => void (await makeHead(ledger))));
  await named(withLedger(url, async (ledger) => await ledger.find(note(1).id)));
}

const pages = () => original.length / pageSize;

function withPage(page: number, content: Buffer): Buffer {
  const bytes = Buffer.from(original);
  content.copy(bytes, page * pageSize, 0, pageSize);
  return bytes;
}

function pageOf(page: number): Buffer {
  return original.subarray(page * pageSize, (page + 1) * pageSize);
}

const overwritings: readonly [name: string, (page: number) => Buffer][] = [
  ['zeros', () => Buffer.alloc(pageSize)],
  ['ones', () => Buffer.alloc(pageSize, 0xff)],
  ['text', () => Buffer.alloc(pageSize, 'overwritten ')],
  ['its own bytes reversed', (page) => Buffer.from(pageOf(page)).reverse()],
  ['the page before it', (page) => pageOf((page + pages() - 1) % pages())],
  ['the first page', () => pageOf(0)],
];

describe('each page in turn', () => {
  it.each(overwritings)('overwritten with %s is found', { timeout: 120_000 }, async (_, contentOf) => {
    for (let page = 0; page < pages(); page++) {
      const content = contentOf(page);
      if (content.equals(pageOf(page))) continue;
      await withFile(withPage(page, content), async (url) => {
        const faults = await verified(url, null);
        expect({ page, isFound: faults === 'refused' || faults > 0 }).toEqual({ page, isFound: true });
        await verified(url, run);
        await readEveryWay(url);
      });
    }
  });

  it('cut off is found', { timeout: 60_000 }, async () => {
    for (let page = 1; page < pages(); page++) {
      await withFile(original.subarray(0, page * pageSize), async (url) => {
        expect(await verified(url, null)).not.toBe(0);
        await verified(url, run);
      });
    }
  });
});

describe('random bytes', () => {
  it('in any page are found, or change nothing that is read', { timeout: 120_000 }, async () => {
    const damage = fc.record({
      page: fc.nat(1000),
      at: fc.nat(pageSize - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 8 }), async (all) => {
        const bytes = Buffer.from(original);
        for (const { page, at, bytes: written } of all)
          bytes.set(written.subarray(0, pageSize - at), (page % pages()) * pageSize + at);
        await withFile(bytes, async (url) => {
          await verified(url, null);
          await verified(url, run);
          await readEveryWay(url);
        });
      }),
      { numRuns: 150 },
    );
  });
});
