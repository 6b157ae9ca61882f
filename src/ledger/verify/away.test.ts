// A store that becomes unavailable during a verification: its content is unknown, so there are no findings about it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import { ledgerBusy } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { type Job, Scan } from './scan.ts';
import { verifyOpened } from './verify.ts';

const sealIndex = { seals: new Map(), sealedStages: new Set<string>() };
const folder = mkdtempSync(join(tmpdir(), 'icecore-away-'));
let opened: Ledger | null = null;

afterEach(async () => {
  await opened?.close();
  opened = null;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A ledger of three notes, where one kind of request is not answered. */
async function withoutAnswerTo(question: 'readAll' | 'read' | 'audit'): Promise<Ledger> {
  const ledger = await openLedger(`sqlite:${join(folder, `${question}.db`)}`, { create: true });
  opened = ledger;
  await ledger.append(notesStream, [note(0), note(1), note(2)], { expect: 'none' });
  return new Proxy(ledger, {
    get(_, name) {
      const found: unknown = Reflect.get(ledger, name, ledger);
      if (typeof found !== 'function') return found;
      return name === question ? away : found.bind(ledger);
    },
  });
}

// biome-ignore lint/correctness/useYield: a store that does not answer yields nothing
async function* away(): AsyncGenerator<never> {
  throw ledgerBusy('/data/evidence.db', 30);
}

describe('a store that does not answer', () => {
  it.each([
    ['readAll', { kind: 'range', after: null, until: '', events: 3, first: null }],
    ['read', { kind: 'stream', stream: notesStream, from: 0, to: 2 }],
    ['audit', { kind: 'audit', run: null }],
  ] as const)('is an error instead of a finding: %s', async (question, job: Job) => {
    const ledger = await withoutAnswerTo(question);
    await expect(new Scan(ledger, null, sealIndex).look(job)).rejects.toMatchObject({ name: 'LedgerBusy' });
  });

  it.each(['readAll', 'audit'] as const)('ends a verification: %s', async (question) => {
    const ledger = await withoutAnswerTo(question);
    const verified = verifyOpened(ledger, { blobs: null, run: null, head: null });
    await expect(verified).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is reported by the thread that encountered it, with its kind', async () => {
    const ledger = await withoutAnswerTo('audit');
    const url = 'esdb://127.0.0.1:1/lab?tls=false&patience=1';
    const elsewhere = new Proxy(ledger, { get: (_, name) => (name === 'url' ? url : Reflect.get(ledger, name)) });
    const verified = verifyOpened(elsewhere, { blobs: null, run: null, head: null, threads: 2 });
    const expected = { name: 'IcecoreError', kind: 'unavailable', message: expect.stringContaining('127.0.0.1:1') };
    await expect(verified).rejects.toMatchObject(expected);
  });
});
