// Queries that would fill the memory of the machine. Each one ends with an answer or a useful error, and its process never uses more
// memory than the query's limit plus the process's own needs.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { type Sample, sampleTables } from '../../../projections/query/testing/tables.ts';
import { QuestionProcess } from './question-process.ts';
import { limits, requestFor, written } from './testing/asking.ts';
import { bombs } from './testing/bombs.ts';
import { peakMegabytesOf, questionProcessesOf } from './testing/children.ts';

/** Node, DuckDB, the formats, and what is allocated until the process notices. */
const ownMegabytes = 330;

let sample: Sample;

/** Threads reserve memory. What the command reserves must not raise the limit of the query's process. */
let idle: readonly Worker[] = [];

beforeAll(async () => {
  sample = await sampleTables();
  idle = Array.from({ length: 4 }, () => new Worker('setInterval(() => {}, 60_000)', { eval: true }));
  await Promise.all(idle.map((worker) => once(worker, 'online')));
});

afterAll(async () => {
  await Promise.all(idle.map((worker) => worker.terminate()));
  sample.remove();
});

/** The peak memory of any child process during the body. */
async function peakDuring(body: () => Promise<void>): Promise<number> {
  if (process.platform !== 'linux') {
    await body();
    return 0;
  }
  let peak = 0;
  const looking = setInterval(() => {
    for (const child of questionProcessesOf(process.pid)) peak = Math.max(peak, peakMegabytesOf(child));
  }, 25);
  await body().finally(() => clearInterval(looking));
  return peak;
}

async function faultOf(sql: string): Promise<unknown> {
  const own = new QuestionProcess(limits);
  try {
    await written(own, { ...requestFor(sample, sql), format: 'json' });
    return null;
  } catch (fault) {
    return fault;
  } finally {
    await own.close();
  }
}

it('a query that needs little memory is answered', async () => {
  expect(await faultOf('SELECT count(*) FROM range(1000000)')).toBeNull();
});

describe('a query that needs too much memory', () => {
  it.concurrent.each(bombs.map((sql) => [sql.length > 100 ? `${sql.slice(0, 100)}…` : sql, sql]))(
    'stays within the memory limit, and any error is one of icecore: %s',
    async (_, sql) => {
      let fault: unknown = null;
      const peak = await peakDuring(async () => {
        fault = await faultOf(sql);
      });
      expect(peak).toBeLessThan(limits.memoryMegabytes + ownMegabytes);
      if (fault === null) return;
      expect(fault).toBeInstanceOf(IcecoreError);
      expect(['unavailable', 'bad-input'], String(fault)).toContain((fault as IcecoreError).kind);
    },
  );
});
