// Questions about tables that other processes write, read and replace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import { type Standing, withQuestions } from './asking.ts';
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
  it('is answered by what there is while somebody reads for long, and told how far behind that is', async () => {
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
  it('build tables once, and all have them', async () => {
    const { ledger, tables } = await variedPlace();
    const four = Array.from({ length: 4 }, () => ({ part: 'project' as const, rounds: 1 }));
    expect((await crowd(ledger, tables, four)).faults).toEqual([]);
    // One, and the rebuild that they are held against.
    expect(generationIn(tables)).toBe(2);
  });

  it('write, follow, ask, rebuild and copy without an error, and end equal', async () => {
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
