// Questions about tables that others write, replace and break.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { type Standing, withQuestions, withTables } from './asking.ts';
import { filledBy } from './projector/layout.ts';
import { project } from './projector/projector.ts';
import { openQuestions } from './query/questions.ts';
import { tableCatalogue } from './tables/catalogue.ts';
import { filledPlace, variedPlace } from './testing/place.ts';
import { writeRollouts } from './testing/varied.ts';
import { generationIn } from './warehouse/place.ts';

const limits = { memoryMegabytes: 200, seconds: 20 };

/** A program that gets tables to ask, and says how they stand and whether it loaded DuckDB for that. */
function gettingTables(url: string, tables: string): string {
  const from = (module: string): string => JSON.stringify(import.meta.resolve(module));
  return `const { openLedger } = await import(${from('../ledger/open.ts')});
    const { withTables } = await import(${from('./asking.ts')});
    const ledger = await openLedger(${JSON.stringify(url)});
    await withTables(ledger, ${JSON.stringify(tables)}, {}, async (_, standing) => {
      const loaded = process.report.getReport().sharedObjects.some((one) => one.includes('duckdb'));
      console.log(JSON.stringify({ ...standing, loaded }));
    });
    await ledger.close();`;
}

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

describe('a question', () => {
  it('makes tables where there are none, and adds what they lack', async () => {
    const { ledger, tables } = await variedPlace();
    const { events } = await ledger.head();
    expect(await ask(ledger, tables)).toEqual({ events, standing: { events, behind: 0, unknown: [] } });
    await writeRollouts(ledger, 9000, 7);
    expect(await ask(ledger, tables)).toEqual({
      events: events + 7,
      standing: { events: events + 7, behind: 0, unknown: [] },
    });
  });

  it('opens no tables to see that they know everything, as long as they are as icecore left them', async () => {
    const { ledger, tables } = await variedPlace();
    const { path, events } = await project(ledger, tables);
    const program = gettingTables(ledger.url, tables);
    const got = () =>
      JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
    expect(got()).toEqual({ events, behind: 0, unknown: [], loaded: false });
    utimesSync(path, new Date(), new Date(0));
    expect(got()).toEqual({ events, behind: 0, unknown: [], loaded: true });
    expect(got()).toEqual({ events, behind: 0, unknown: [], loaded: false });
    await writeRollouts(ledger, 9000, 7);
    expect(got()).toEqual({ events: events + 7, behind: 0, unknown: [], loaded: true });
  });

  it('makes tables anew that turn out to be broken', async () => {
    const { ledger, tables, path, events } = await filledPlace();
    const bytes = readFileSync(path);
    for (let at = 3 * 4096; at < bytes.length; at += 64) bytes[at] = 255 - (bytes[at] ?? 0);
    writeFileSync(path, bytes);
    expect(await ask(ledger, tables)).toEqual({ events, standing: { events, behind: 0, unknown: [] } });
  });

  it('is not answered by tables of a history that the ledger does not have any more', async () => {
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

describe('an icecore of another version', () => {
  it('that fills the tables its own way in the moment between is no answer to the question', async () => {
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
