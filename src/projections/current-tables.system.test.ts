// Queries on tables that other processes write, read and replace.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import { type Standing, withQuestions } from './current-tables.ts';
import { project } from './projector/projector.ts';
import { crowd } from './testing/crowd.ts';
import { filledPlace, variedPlace } from './testing/place.ts';
import { writeRollouts } from './testing/varied.ts';
import { generationIn } from './warehouse/place.ts';

const limits = { memoryMegabytes: 200, seconds: 20 };

/** A program that has the file open for reading until it is killed. */
function reading(path: string): string {
  return `const { DuckDBInstance } = await import(${JSON.stringify(import.meta.resolve('@duckdb/node-api'))});
    globalThis.kept = await DuckDBInstance.create(${JSON.stringify(path)}, { access_mode: 'READ_ONLY' });
    console.log('reading');
    setInterval(() => {}, 1000);`;
}

/** A program that queries tables, and reports their state and whether it loaded DuckDB. */
function gettingTables(url: string, tables: string): string {
  const from = (module: string): string => JSON.stringify(import.meta.resolve(module));
  return `const { openLedger } = await import(${from('../ledger/open.ts')});
    const { withTables } = await import(${from('./current-tables.ts')});
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

describe('a query', () => {
  it('does not open tables to see that they are up to date, if they are as icecore left them', async () => {
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

  it('uses older tables while another process reads for long, and reports how far behind they are', async () => {
    const { ledger, tables, path, events } = await filledPlace();
    await writeRollouts(ledger, 9000, 7);
    const reader = spawn(process.execPath, ['-e', reading(path)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(reader.stdout, 'data');
    expect(await ask(ledger, tables)).toEqual({ events, standing: { events, behind: 7, unknown: [] } });
    reader.kill();
    await once(reader, 'exit');
    expect(await ask(ledger, tables)).toMatchObject({ standing: { behind: 0 } });
  });
});

describe('many processes at once', () => {
  it('build tables once, and all use them', async () => {
    const { ledger, tables } = await variedPlace();
    const four = Array.from({ length: 4 }, () => ({ part: 'project' as const, rounds: 1 }));
    expect((await crowd(ledger, tables, four)).faults).toEqual([]);
    // One, and the rebuild that they are compared with.
    expect(generationIn(tables)).toBe(2);
  });

  it('write, follow, query, rebuild and copy without an error, and end equal', async () => {
    const { ledger, tables } = await filledPlace();
    const { faults } = await crowd(ledger, tables, [
      { part: 'write', rounds: 25 },
      { part: 'write', rounds: 25 },
      { part: 'follow' },
      { part: 'ask', rounds: 3 },
      { part: 'snapshot', rounds: 1 },
      { part: 'rebuild', rounds: 2 },
    ]);
    expect(faults).toEqual([]);
  });
});
