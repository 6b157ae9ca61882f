import { describe, expect, it, onTestFinished } from 'vitest';
import { Random } from '../../random.ts';
import { lineOf } from '../line.ts';
import { randomTask } from '../testing/random-tasks.ts';
import { Clerk, type LineDuty, type Reply } from './jobs.ts';
import { Crew } from './pool.ts';

const duties: readonly LineDuty[] = [
  { verb: 'solve', effort: 10_000 },
  { verb: 'judge', effort: 10_000 },
];

function texts(count: number): string[] {
  const random = new Random('crew');
  return Array.from({ length: count }, () => {
    const { instance, plan, truncated } = randomTask(random);
    return JSON.stringify({ ...lineOf(instance), plan, truncated });
  });
}

function crewOf(duty: LineDuty, threads: number): Crew<string, Reply> {
  const crew = new Crew<string, Reply>(duty, threads);
  onTestFinished(() => crew.close(new Error('the test is over')));
  return crew;
}

describe('a crew', () => {
  it.each(duties)('replies as one clerk does: $verb', async (duty) => {
    const lines = [...texts(200), 'nonsense', '{}'];
    const crew = crewOf(duty, 2);
    const parts = Array.from({ length: 20 }, (_, i) => lines.slice(11 * i, 11 * (i + 1)));
    const answered = await Promise.all(parts.map((part) => crew.do(part)));
    expect(answered.flatMap(({ replies }) => replies)).toEqual(new Clerk(duty).answer(lines).replies);
  });

  it('lets nobody wait for ever when it is closed', async () => {
    const crew = crewOf({ verb: 'solve', effort: 10_000 }, 1);
    const waiting = [crew.do(texts(3)), crew.do(texts(3)), crew.do(texts(3))];
    const reasons = Promise.allSettled(waiting);
    await crew.close('enough');
    for (const { status, ...rest } of await reasons) {
      if (status === 'rejected') expect(rest).toEqual({ reason: 'enough' });
    }
    await expect(crew.do(texts(1))).rejects.toBe('enough');
  });

  it('fails as a whole when one of its threads dies', async () => {
    const crew = crewOf({ verb: 'solve', effort: 10_000 }, 2);
    const deadly = null as unknown as readonly string[];
    await expect(crew.do(deadly)).rejects.toThrow(TypeError);
    await expect(crew.do(texts(1))).rejects.toThrow(TypeError);
  });
});
