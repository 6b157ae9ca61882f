// A forged ledger with values that icecore never writes: they are refused, and never loaded into memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { Tampering } from './testing/tamper.ts';

const isLimited = Number(process.versions.node.split('.')[0]) >= 26;

let path = '';
beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'icecore-large-')), 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(notesStream, [note(0)], { expect: 'any' });
  await ledger.append(evidenceStream, someRollouts(0, 40), { expect: 'any' });
  await ledger.close();
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

describe.skipIf(!isLimited)('a value of 100 MB in a ledger', () => {
  it.each([
    ['a body', 'UPDATE events SET body = hex(zeroblob(50000000)) WHERE position = 1'],
    ['a digest', 'UPDATE events SET digest = zeroblob(100000000) WHERE position = 1'],
    ['an id', 'UPDATE events SET id = zeroblob(100000000) WHERE position = 1'],
    ['a pack', 'UPDATE packs SET bodies = zeroblob(100000000)'],
  ])('is reported as damage: %s', async (_, sql) => {
    const tampering = new Tampering(path, 'as-they-are');
    tampering.run(sql);
    tampering.close();
    const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
    await expect(collect(ledger.readAll())).rejects.toMatchObject({
      name: 'DamagedLedger',
      message: expect.stringContaining('larger than any that icecore writes'),
    });
    await ledger.close();
    const { findings } = await verifyLedger(`sqlite:${path}`, { blobs: null, run: null, head: null });
    expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings).length).toBeLessThan(100_000);
  });
});
