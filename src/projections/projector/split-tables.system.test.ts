// Tables of a split ledger: evidence is found through the run events that report it, and means the same as in a ledger
// of one store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { finished, note, notesStream, report, rolloutIn, run, runStream, seal } from '../../ledger/contract/samples.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { AttemptTree, sealBeginning } from '../../ledger/seal/attempt.ts';
import { withQuestions } from '../current-tables.ts';
import { chunksOf } from '../query/testing/tables.ts';
import { follow, project } from './projector.ts';

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

const limits = { seconds: 60, memoryMegabytes: 512, diskMegabytes: 512 };

async function ask({ ledger, tables }: Place, sql: string): Promise<readonly unknown[]> {
  return await withQuestions(ledger, tables, limits, {}, async (questions) => {
    const chunks = await chunksOf(await questions.ask(sql));
    return chunks.flatMap((chunk) => chunk.getRows());
  });
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

const questions = [
  'SELECT part, attempt, counts, sealed, events, events_counted FROM attempts ORDER BY part, attempt',
  'SELECT stream, revision, sealed, id FROM rollouts ORDER BY stream, revision',
  "SELECT type, stream, revision FROM events WHERE type <> 'AttemptFinished' ORDER BY stream, revision",
  'SELECT * FROM stage_stats ORDER BY ALL',
];

describe('tables of a split ledger', () => {
  it('have the same attempts and rollouts as those of a ledger of one store, before and after the seal', async () => {
    const [split, one] = [await opened('split'), await opened('one')];
    for (const step of [record, sealAll]) {
      for (const { ledger } of [split, one]) await step(ledger);
      for (const question of questions) expect(await ask(split, question)).toEqual(await ask(one, question));
    }
    expect(await ask(split, 'SELECT part, attempt, counts, sealed FROM attempts ORDER BY part, attempt')).toEqual([
      ['0', 0n, false, false],
      ['0', 1n, true, true],
      ['1', 0n, true, true],
      ['validation', 0n, false, false],
    ]);
    expect(await ask(split, 'SELECT DISTINCT finished FROM attempts')).toEqual([[true]]);
  });

  it('have no attempt that was not reported', async () => {
    const place = await opened('split');
    await record(place.ledger);
    const stream = streamOfPart(7, 0);
    await place.ledger.append(stream, [rolloutIn(stream, 0)], { expect: 'any' });
    expect(await ask(place, "SELECT count(*) FROM events WHERE type = 'RolloutRecorded'")).toEqual([[14n]]);
    await report(place.ledger, stream);
    expect(await ask(place, "SELECT count(*) FROM events WHERE type = 'RolloutRecorded'")).toEqual([[15n]]);
  });

  it('are updated as attempts are reported', async () => {
    const { ledger, tables } = await opened('split');
    const stop = new AbortController();
    const added: number[] = [];
    for await (const done of follow(ledger, tables, { signal: stop.signal })) {
      added.push(done.added);
      if (added.length === 1) void record(ledger);
      if (added.reduce((sum, one) => sum + one) === 19) stop.abort();
    }
    expect(added[0]).toBe(0);
  });

  it('cannot skip missing evidence', async () => {
    const place = await opened('split');
    await record(place.ledger);
    const lost = finished({ stream: streamOfPart(9, 0), count: 3, root: 'a'.repeat(64) });
    await place.ledger.append(streamOf.work(run), [lost], { expect: 'any' });
    await expect(project(place.ledger, place.tables)).rejects.toMatchObject({ name: 'EvidenceMissing', missing: 3 });
  });
});
