import { describe, expect, it, onTestFinished } from 'vitest';
import { Random } from '../../../src/lab/random.ts';
import { lineOf } from '../line.ts';
import { randomTask } from '../testing/random-tasks.ts';
import { type LineJob, LineProcessor, type Reply } from './jobs.ts';
import { WorkerPool } from './pool.ts';

const jobs: readonly LineJob[] = [
  { verb: 'solve', effort: 10_000 },
  { verb: 'judge', effort: 10_000 },
];

function texts(count: number): string[] {
  const random = new Random('pool');
  return Array.from({ length: count }, () => {
    const { instance, plan, truncated } = randomTask(random);
    return JSON.stringify({ ...lineOf(instance), plan, truncated });
  });
}

function poolOf(job: LineJob, threads: number): WorkerPool<string, Reply> {
  const pool = new WorkerPool<string, Reply>(job, threads);
  onTestFinished(() => pool.close(new Error('the test is over')));
  return pool;
}

describe('a pool', () => {
  it.each(jobs)('replies as one processor does: $verb', async (job) => {
    const lines = [...texts(200), 'nonsense', '{}'];
    const pool = poolOf(job, 2);
    const parts = Array.from({ length: 20 }, (_, i) => lines.slice(11 * i, 11 * (i + 1)));
    const answered = await Promise.all(parts.map((part) => pool.do(part)));
    expect(answered.flatMap(({ replies }) => replies)).toEqual(new LineProcessor(job).answer(lines).replies);
  });

  it('rejects pending work when it is closed', async () => {
    const pool = poolOf({ verb: 'solve', effort: 10_000 }, 1);
    const waiting = [pool.do(texts(3)), pool.do(texts(3)), pool.do(texts(3))];
    const reasons = Promise.allSettled(waiting);
    await pool.close('enough');
    for (const { status, ...rest } of await reasons) {
      if (status === 'rejected') expect(rest).toEqual({ reason: 'enough' });
    }
    await expect(pool.do(texts(1))).rejects.toBe('enough');
  });

  it('fails as a whole when one of its threads dies', async () => {
    const pool = poolOf({ verb: 'solve', effort: 10_000 }, 2);
    const deadly = null as unknown as readonly string[];
    await expect(pool.do(deadly)).rejects.toThrow(TypeError);
    await expect(pool.do(texts(1))).rejects.toThrow(TypeError);
  });
});
