import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { makeHead } from '../seal/head.ts';
import { verifyOpened } from '../verify/verify.ts';

let folder: string;
let original: string;
let bytes: Buffer;
let seenBefore: string;
let head: Awaited<ReturnType<typeof makeHead>>;

/** Everything a reader can see, by every way of reading. */
async function seen(ledger: Ledger): Promise<string> {
  const all = await collect(ledger.readAll());
  const byStream = await collect(ledger.read(evidenceStream));
  const byType = await collect(ledger.readAll({ types: ['RunAnnotated'] }));
  const byId = await Promise.all(all.map(async ({ filedId }) => (await ledger.find(filedId))[0]));
  const streams = await collect(ledger.streams());
  const show = (events: readonly (typeof all)[number][]) =>
    events.map(({ stream, revision, type, filedId, digest, body }) => [stream, revision, type, filedId, digest, body]);
  return JSON.stringify([show(all), show(byStream), show(byType), byId.map((one) => one?.digest), streams]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-flips-'));
  original = join(folder, 'original.db');
  const ledger = await openLedger(`sqlite:${original}`, { create: true });
  await ledger.append(evidenceStream, someRollouts(0, 60), { expect: 'any' });
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
  head = await makeHead(ledger);
  seenBefore = await seen(ledger);
  await ledger.close();
  // All in one file, as on a backup medium.
  const db = new DatabaseSync(original);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  bytes = readFileSync(original);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The findings of a verification and, if there are none, the result of reading the file. */
async function afterFlip(path: string): Promise<'found' | 'harmless' | 'unnoticed'> {
  let ledger: Ledger;
  try {
    ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
  } catch {
    return 'found';
  }
  try {
    const { faults } = await verifyOpened(ledger, { blobs: null, run: null, head });
    if (faults > 0) return 'found';
    return (await seen(ledger)) === seenBefore ? 'harmless' : 'unnoticed';
  } catch {
    return 'found';
  } finally {
    await ledger.close();
  }
}

describe('a byte flipped anywhere in the file', () => {
  it('is found, or changes nothing that a reader can see', { timeout: 120_000 }, async () => {
    let flipped = 0;
    const outcomes = { found: 0, harmless: 0, unnoticed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const path = join(folder, `${flipped++}.db`);
        copyFileSync(original, path);
        const other = Buffer.from(bytes);
        other[at] = (other[at] as number) ^ bits;
        writeFileSync(path, other);
        const outcome = await afterFlip(path);
        outcomes[outcome]++;
        for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
        expect(outcome).not.toBe('unnoticed');
      }),
      { numRuns: tries(300) },
    );
    expect(outcomes.found).toBeGreaterThan(tries(100));
  });
});
