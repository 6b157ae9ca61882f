// Queries on tables that others write, replace and break.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { type Standing, withQuestions, withTables } from './current-tables.ts';
import { filledBy } from './projector/layout.ts';
import { project } from './projector/projector.ts';
import { openQuestions } from './query/questions.ts';
import { tableCatalogue } from './tables/catalogue.ts';
import { filledPlace, variedPlace } from './testing/place.ts';
import { writeRollouts } from './testing/varied.ts';
import { generationIn } from './warehouse/place.ts';

const limits = { memoryMegabytes: 200, seconds: 20 };

interface Answered {
  readonly events: number;
  readonly standing: Standing;
}

function ask(ledger: Ledger, tables: string): Promise<Answered> {
  return withQuestions(ledger, tables, limits, {}, async (questions, standing) => {
    const answer = await questions.ask('SELECT count(*)::INTEGER FROM events');
    let events = 0;
    for await (const chunk of answer.chunks()) for (const [value] of chunk.getRows()) events += Number(value);
    return { events, standing };
  });
}

describe('a query', () => {
  it('creates missing tables, and adds missing events', async () => {
    const { ledger, tables } = await variedPlace();
    const { events } = await ledger.head();
    expect(await ask(ledger, tables)).toEqual({ events, standing: { events, behind: 0, unknown: [] } });
    await writeRollouts(ledger, 9000, 7);
    expect(await ask(ledger, tables)).toEqual({
      events: events + 7,
      standing: { events: events + 7, behind: 0, unknown: [] },
    });
  });

  it('rebuilds tables that are found to be broken', async () => {
    const { ledger, tables, path, events } = await filledPlace();
    const bytes = readFileSync(path);
    for (let at = 3 * 4096; at < bytes.length; at += 64) bytes[at] = 255 - (bytes[at] ?? 0);
    writeFileSync(path, bytes);
    expect(await ask(ledger, tables)).toEqual({ events, standing: { events, behind: 0, unknown: [] } });
  });

  it('does not use tables of a history that the ledger no longer has', async () => {
    const { folder, ledger, tables } = await filledPlace();
    const path = join(folder, 'other.db');
    await ledger.close();
    copyFileSync(join(folder, 'ledger.db'), path);
    const one = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await writeRollouts(one, 9000, 3);
    await project(one, tables);
    const other = await openLedger(`sqlite:${path}`);
    await writeRollouts(other, 9100, 3);
    expect((await other.head()).cursor).toBe((await one.head()).cursor);
    expect(generationIn(tables)).toBe(1);
    await ask(other, tables);
    expect(generationIn(tables)).toBe(2);
    await one.close();
    await other.close();
  });
});

describe('another version of icecore', () => {
  it('that refills the tables in between does not affect a query', async () => {
    const { ledger, tables, events } = await filledPlace();
    const fingerprints = new Map(tableCatalogue().fingerprints).set('RolloutRecorded', 'read otherwise');
    const catalogue = { ...tableCatalogue(), fingerprints };
    const notes: string[] = [];
    let times = 0;
    const options = { onNote: (note: string) => void notes.push(note) };
    const counted = await withTables(ledger, tables, options, async (path) => {
      if (times++ === 0) await project(ledger, tables, { catalogue });
      const questions = await openQuestions(path, limits, { filled: filledBy(tableCatalogue()) });
      try {
        const answer = await questions.ask('SELECT count(*)::INTEGER FROM events');
        for await (const chunk of answer.chunks()) for (const [value] of chunk.getRows()) return value;
      } finally {
        await questions.close();
      }
      return null;
    });
    expect([counted, times, generationIn(tables)]).toEqual([events, 2, 1]);
    expect(notes).toEqual([expect.stringMatching(/another version of icecore .*: rollouts, events$/)]);
  });
});
