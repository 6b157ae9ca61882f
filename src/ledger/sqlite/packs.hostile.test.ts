// Forged packs: a reader of an event, in any way and order, gets the bytes of its digest or nothing, and a verification names every
// additional pack.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { Tampering } from './testing/tamper.ts';

const packed = 40;

let folder = '';
let path = '';
let bodies: readonly string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-packs-'));
  path = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(evidenceStream, someRollouts(0, packed), { expect: 'any' });
  await ledger.append(notesStream, [note(0)], { expect: 'any' });
  await ledger.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare('SELECT bodies FROM packs').get();
  db.close();
  bodies = zstdDecompressSync(row?.['bodies'] as Uint8Array)
    .toString()
    .split('\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const forged = (body: string): string => body.replace(/"at":"20\d\d/, '"at":"1999');

function tamper(work: (tampering: Tampering) => void): void {
  const tampering = new Tampering(path, 'as-they-are');
  work(tampering);
  tampering.close();
}

const insert = 'INSERT INTO packs VALUES (?, ?, ?)';

/** An additional pack for the events from a position on. */
function packFrom(first: number, change: (body: string) => string): void {
  const pack = zstdCompressSync(
    bodies
      .slice(first - 1)
      .map(change)
      .join('\n'),
  );
  tamper((tampering) => tampering.run(insert, first, packed, pack));
}

async function findings(run: string | null = null): Promise<string[]> {
  const found = await verifyLedger(`sqlite:${path}`, { blobs: null, run, head: null });
  return found.findings.filter(({ kind }) => kind !== 'unsealed').map(({ where, says }) => `${where}: ${says}`);
}

const overlap = `positions 20 to ${packed}: two packs have bytes for the same events`;

describe('overlapping packs', () => {
  it('show no forged event, and the same in any order of reading', async () => {
    packFrom(20, forged);
    const order = fc.array(fc.integer({ min: 0, max: packed - 1 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(order, async (revisions) => {
        const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
        for (const revision of revisions) {
          const [event] = await collect(ledger.read(evidenceStream, { from: revision, to: revision }));
          expect(event?.body).toBe(revision < 19 ? bodies[revision] : '');
        }
        await ledger.close();
      }),
      { numRuns: 20 },
    );
  });

  it('are faults even if they agree', async () => {
    packFrom(20, (body) => body);
    expect(await findings()).toEqual([overlap]);
    const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
    expect((await collect(ledger.read(evidenceStream))).map(({ body }) => body)).toEqual(bodies);
    await ledger.close();
  });

  it('are named faults if one is forged, and so is each unreadable event', async () => {
    packFrom(20, forged);
    const found = await findings();
    expect(found).toContain(overlap);
    expect(found.filter((one) => one.startsWith(`${evidenceStream}@`) && one.includes('hash to'))).toHaveLength(
      packed - 19,
    );
  });

  it('do not make the audit scan the ledger once for each of them', async () => {
    tamper((tampering) => {
      for (let i = 0; i < 200; i++) tampering.run(insert, -i, 2 ** 50, Buffer.alloc(1));
    });
    const found = await findings();
    expect(found.filter((one) => one.includes('two packs'))).toHaveLength(99);
  });
});

describe('a pack', () => {
  it('with bytes that do not match the digests shows none of them', async () => {
    const pack = zstdCompressSync(bodies.map(forged).join('\n'));
    tamper((tampering) => tampering.run('UPDATE packs SET bodies = ?', pack));
    const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
    const ways = [
      await collect(ledger.read(evidenceStream)),
      await collect(ledger.readAll({ types: ['RolloutRecorded'], backwards: true })),
      await ledger.find(JSON.parse(bodies[0] ?? '').id),
    ];
    for (const way of ways) expect(new Set(way.map(({ body }) => body))).toEqual(new Set(['']));
    await ledger.close();
  });

  it('for an event with bytes of its own is a fault', async () => {
    tamper((tampering) => tampering.run(insert, packed + 1, packed + 1, zstdCompressSync('{}')));
    expect(await findings()).toEqual([`positions 41 to 41: a pack has bytes for events that have their own`]);
  });

  it.each([
    [-5, 0],
    [-5, -7],
    [60, 70],
    [60, 50],
  ])('for positions %i to %i without events is a fault', async (first, last) => {
    tamper((tampering) => tampering.run(insert, first, last, zstdCompressSync('{}')));
    expect(await findings()).toContain(`positions ${first} to ${last}: a pack has bytes for missing events`);
  });
});
