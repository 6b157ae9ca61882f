// Queries that take long, write to pipes, and run in processes.
import { execFileSync } from 'node:child_process';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { placeWithTables } from '../runs/testing/looking.ts';
import { json, shell } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const runs = 'SELECT run, state, done FROM runs';

describe('an SQL query', () => {
  it.skipIf(process.platform === 'win32')('writes its result to a named pipe without replacing it', async () => {
    const { look, cwd } = await placeWithTables();
    for (const [name, start] of [
      ['pipe.csv', 'run,'],
      ['pipe.parquet', 'PAR1'],
    ] as const) {
      const pipe = join(cwd, name);
      execFileSync('mkfifo', [pipe]);
      const [read] = await Promise.all([text(createReadStream(pipe)), look('sql', runs, '--output', name)]);
      expect(read.slice(0, 4)).toBe(start);
      expect(statSync(pipe).isFIFO()).toBe(true);
    }
  });

  it('that takes too long is stopped with a hint at --seconds', async () => {
    const { look } = await placeWithTables();
    const endless = 'SELECT count(*) FROM range(100000000000) a, range(100000000000) b WHERE a.range = b.range + 0.5';
    const { code, stderr } = await look('sql', endless, '--seconds', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('--seconds');
  });
});

it.skipIf(process.platform === 'win32')('the query process uses the compile cache of its command', async () => {
  const { cwd } = await placeWithTables();
  const places: string[] = [];
  for (let asked = 0; asked < 2; asked++) {
    const { code } = await shell(`icecore sql "${runs}"`, cwd, {
      ICECORE_CACHE: join(cwd, 'cache'),
      NODE_COMPILE_CACHE: '',
    });
    expect(code).toBe(0);
    places.push(readdirSync(join(cwd, 'cache'), { recursive: true }).map(String).toSorted().join('\n'));
  }
  // One folder per version of Node with its files; the second run reuses all of them.
  expect(places[0]).not.toMatch(/compiled\/v[^/\n]*\/v/);
  expect(places[1]).toBe(places[0]);
});

describe('the read-only copy of the tables', () => {
  it('is replaced only when it is requested again after new events', async () => {
    const { look } = await placeWithTables();
    const path = (await look('sql', '--path')).stdout.trim();
    const { ino } = statSync(path);
    expect((await look('sql', '--path')).stdout.trim()).toBe(path);
    expect(statSync(path).ino).toBe(ino);
    await look('annotate', 'quiet-otter', 'look at it');
    const made = json(await look('sql', '--path', '--json'));
    expect(faultsAgainst('sql-path', made)).toEqual([]);
    expect(statSync(path).ino).not.toBe(ino);
  });
});
