// Impossible events in a forged ledger, with matching digests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import { sha256 } from '../identity/ids.ts';
import { openLedger } from '../open.ts';
import { verifyLedger } from '../verify/verify.ts';
import { PackWriter } from './packs.ts';
import { Tampering } from './testing/tamper.ts';

let path = '';
beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'icecore-impossible-')), 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'any' });
  await ledger.close();
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

async function faults(): Promise<string[]> {
  const found = await verifyLedger(`sqlite:${path}`, { blobs: null, run: null, head: null });
  return found.findings.map(({ kind, where, says }) => `${kind} ${where} ${says}`);
}

describe('an event with an invalid recording time', () => {
  it.each([8.64e15 + 1, -8.64e15 - 1, Number.MAX_SAFE_INTEGER])('is a fault, and shown: %i', async (moment) => {
    const tampering = new Tampering(path);
    tampering.run('UPDATE events SET recorded_at = ? WHERE position = 1', moment);
    tampering.close();
    expect(await faults()).toContain(
      `malformed ${notesStream}@0 it was recorded ${moment} ms after 1970, which is not a valid time`,
    );
    const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
    const [first, second] = await collect(ledger.readAll());
    await ledger.close();
    expect(first?.toJSON().recordedAt).toBe(`${moment} ms after 1970`);
    expect(second?.toJSON().recordedAt).toMatch(/^20.*Z$/);
  });
});

describe('an event', () => {
  it('beyond the maximum size is a fault', async () => {
    const tampering = new Tampering(path);
    const body = tampering.bodies()[1]?.body.toString().replace('note 1', 'x'.repeat(1_000_000)) ?? '';
    tampering.rewrite(2, Buffer.from(body), Buffer.from(sha256(body), 'hex'));
    tampering.close();
    expect((await faults()).join()).toContain('bytes, at most 1000000 are allowed');
  });

  it.each([
    ['too large', `"${'x'.repeat(1_000_000)}"`],
    ['of several lines', '{\n}'],
    ['empty', ''],
  ])('that is %s is not put into a pack', (_, body) => {
    const db = new DatabaseSync(path);
    const packs = new PackWriter(db);
    packs.add(3, '{}');
    expect(() => packs.add(4, body)).toThrow(RangeError);
    db.close();
  });

  it('of any size up to the maximum can be read from a pack', async () => {
    const ledger = await openLedger(`sqlite:${path}`);
    // These characters take the most bytes, and the limit of a pack is one of characters.
    const answer = (index: number): string => '€'.repeat(index % 4 === 3 ? 330_000 : 150_000);
    const large = someRollouts(0, 40).map((one, index) => ({ ...one, data: { ...data(one), answer: answer(index) } }));
    await ledger.append(evidenceStream, large, { expect: 'any' });
    const read = await collect(ledger.read(evidenceStream));
    expect(read.map((event) => data(event.envelope)['answer'])).toEqual(large.map((_, index) => answer(index)));
    await ledger.close();
  });
});

const data = (event: { readonly data: unknown }) => event.data as Record<string, unknown>;
