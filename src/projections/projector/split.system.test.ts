// Tables of a split ledger: evidence is found through the run events that report it, and means the same as in a ledger
// of one store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { note, notesStream, report, rolloutIn, run, runStream, seal } from '../../ledger/contract/samples.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { AttemptTree, sealBeginning } from '../../ledger/seal/attempt.ts';
import { tableDigests } from '../digests.ts';
import { project } from './projector.ts';

interface Place {
  readonly ledger: Ledger;
  readonly tables: string;
}

async function opened(parts: 'split' | 'one'): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-tables-'));
  const one = `sqlite:${join(folder, 'ledger.db')}`;
  const ledger = await openLedger(parts === 'one' ? one : `split:${one}+sqlite:${join(folder, 'evidence.db')}`, {
    create: true,
  });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ledger, tables: join(folder, 'tables') };
}

const streamOfPart = (part: number | string, attempt: number): string => streamOf.evidence(run, 2, part, attempt);

async function attempt(ledger: Ledger, stream: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => rolloutIn(stream, i));
  await ledger.append(stream, events, { expect: 'any', isNew: true });
  await report(ledger, stream);
}

/** Attempts that the seal counts in full, in part and not at all, and a part that it does not name. */
async function record(ledger: Ledger): Promise<void> {
  await ledger.append(notesStream, [note(0)], { expect: 'none' });
  for (const [part, number, count] of [
    [0, 0, 3],
    [0, 1, 5],
    [1, 0, 4],
    ['validation', 0, 2],
  ] as const)
    await attempt(ledger, streamOfPart(part, number), count);
}

async function sealAll(ledger: Ledger): Promise<void> {
  const attempts = [
    await new AttemptTree(ledger, streamOfPart(0, 1)).seal(),
    await sealBeginning(ledger, streamOfPart(1, 0), 3),
  ];
  await ledger.append(runStream, [seal(attempts)], { expect: 'none' });
}

describe('tables of a split ledger', () => {
  it('are continued in the middle of an attempt after an interrupted fill', async () => {
    const { ledger, tables } = await opened('split');
    await record(ledger);
    await sealAll(ledger);
    const whole = await project(ledger, join(tables, 'whole'));
    const expected = await tableDigests(whole.path, 'tables');
    const cursors = new Set<string>();
    let known = 0;
    for (let batches = 1; known < whole.events; batches++) {
      const stop = new AbortController();
      const limits = { events: 2, characters: 1_000_000 };
      let filled = 0;
      const progress = (): void => {
        filled += 1;
        if (filled === batches) stop.abort();
      };
      const options = { limits, progress, signal: stop.signal };
      const done = await project(ledger, join(tables, 'often'), options).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
        return null;
      });
      if (done === null) continue;
      known = done.events;
      if (done.cursor !== null) cursors.add(done.cursor);
      expect(await tableDigests(done.path, 'tables')).toEqual(expected);
    }
    expect([...cursors]).toEqual([(await ledger.head()).cursor]);
  });
});
