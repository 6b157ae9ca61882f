import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventProof, LedgerHead } from '../../../schemas/head.ts';
import { evidenceStream, note, notesStream, runStream, seal, someRollouts } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { makeHead } from '../seal/head.ts';
import { isIncluded } from '../seal/inclusion.ts';
import { Tampering } from '../sqlite/testing/tamper.ts';
import { proveEvent } from './prove.ts';

/** Positions: the notes are 1 and 2, the evidence 3 to 12, the seal 13. */
async function sealedLedger(): Promise<{ path: string; head: LedgerHead }> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-prove-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
  await ledger.append(evidenceStream, someRollouts(0, 10), { expect: 'none' });
  const attempt = await new AttemptTree(ledger, evidenceStream).seal();
  await ledger.append(runStream, [seal([attempt])], { expect: 'none' });
  const head = await makeHead(ledger);
  await ledger.close();
  return { path, head };
}

async function reading<Result>(path: string, body: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

function prove(path: string, stream: string, revision: number, head: LedgerHead | null): Promise<EventProof> {
  return reading(path, async (ledger) => {
    for await (const [event] of ledger.read(stream, { from: revision, to: revision }))
      if (event !== undefined) return await proveEvent(ledger, event, head);
    throw new Error(`${stream}@${revision} is not there`);
  });
}

function tamper(path: string, change: (ledger: Tampering) => void): void {
  const tampering = new Tampering(path);
  change(tampering);
  tampering.close();
}

/** Rewrites an event, with the old digest or a matching one. */
function reword(path: string, position: number, [from, to]: readonly [string, string], isFitting: boolean): void {
  tamper(path, (ledger) => {
    const { body, digest } = ledger.bodies()[position - 1] ?? { body: Buffer.of(), digest: Buffer.of() };
    const other = Buffer.from(body.toString().replace(from, to));
    expect(other).not.toEqual(body);
    ledger.rewrite(position, other, isFitting ? createHash('sha256').update(other).digest() : digest);
  });
}

describe('a proof', () => {
  it('is valid from the event to the seal, and from there to the head', async () => {
    const { path, head } = await sealedLedger();
    const { event, seal, ledger } = await prove(path, evidenceStream, 4, head);
    if (seal === null) return expect.fail('it is not sealed');
    expect(isIncluded(event.digest, seal.inclusion)).toBe(true);
    expect(isIncluded(seal.by.digest, ledger.inclusion)).toBe(true);
    expect(ledger).toMatchObject({ head, inclusion: { index: 12, size: 13 } });
  });

  it.each([
    ['an event with changed bytes', evidenceStream, 7, ['"probe"', '"train"'], 'its bytes hash to'],
    ['sealed evidence with a changed seal', evidenceStream, 13, ['producer/run', 'producer/rum'], 'its bytes hash to'],
    ['a note with changed bytes', notesStream, 2, ['note 1', 'note X'], 'its bytes hash to'],
  ] as const)('is not made of %s', async (_, stream, position, change, says) => {
    const { path, head } = await sealedLedger();
    reword(path, position, change, false);
    const revision = stream === notesStream ? 1 : 4;
    for (const kept of [head, null]) {
      await expect(prove(path, stream, revision, kept)).rejects.toMatchObject({
        name: 'NotProvable',
        kind: 'damaged',
        message: expect.stringContaining(says),
      });
    }
  });

  it.each([
    ['bytes with another place', ['"revision":4', '"revision":5'], 'its bytes say revision 5'],
    ['bytes that are not an event', ['"previous"', '"prevision"'], 'its bytes are not an event'],
  ] as const)('is not made of %s, even if the digest matches', async (_, change, says) => {
    const { path } = await sealedLedger();
    reword(path, 7, change, true);
    await expect(prove(path, evidenceStream, 4, null)).rejects.toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining(says),
    });
  });

  it('is not made with a seal of another stage, even if its digest matches', async () => {
    const { path } = await sealedLedger();
    reword(path, 13, ['"stage":2,"stream"', '"stage":3,"stream"'], true);
    await expect(prove(path, evidenceStream, 4, null)).rejects.toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining(`${runStream}@0 is not a seal of it`),
    });
  });

  it('is not made against a contradicting head', async () => {
    const { path, head } = await sealedLedger();
    for (const [changed, says] of [
      [{ events: 12 }, 'the ledger differs from the head'],
      [{ events: 1 }, 'it was recorded after the head'],
      [{ events: 0 }, 'has 0 events, none or more than the ledger'],
      [{ events: 14 }, 'has 14 events, none or more than the ledger'],
      [{ root: '0'.repeat(64) }, 'the ledger differs from the head'],
    ] as const) {
      await expect(prove(path, notesStream, 1, { ...head, ...changed })).rejects.toMatchObject({
        name: 'NotProvable',
        message: expect.stringContaining(says),
      });
    }
  });

  it('is not made against the head of another ledger', async () => {
    const [mine, theirs] = [await sealedLedger(), await sealedLedger()];
    await expect(prove(mine.path, notesStream, 1, theirs.head)).rejects.toMatchObject({ name: 'ForeignHead' });
  });
});

describe('a ledger in which an event is missing', () => {
  it('has no head, and no proof', async () => {
    const { path, head } = await sealedLedger();
    tamper(path, (ledger) => ledger.run('DELETE FROM events WHERE position = 9'));
    await expect(reading(path, (ledger) => makeHead(ledger))).rejects.toMatchObject({
      name: 'NoHeadToMake',
      kind: 'damaged',
      facts: { events: 13, found: 12 },
    });
    await expect(prove(path, notesStream, 1, head)).rejects.toMatchObject({ name: 'NotProvable', kind: 'damaged' });
    await expect(prove(path, evidenceStream, 2, head)).rejects.toMatchObject({ name: 'NotProvable', kind: 'damaged' });
  });
});
