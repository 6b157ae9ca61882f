// The contract: tasks for a configuration, a split, a count and a seed.
import { describe, expect, it } from 'vitest';
import { digestOf, type Environment, type GenerateRequest } from '../environment.ts';
import { type Bench, collected, missingIn } from './fixture.ts';

export function generating(bench: Bench): void {
  describe('generating', () => {
    const request = (change: Partial<GenerateRequest> = {}): GenerateRequest => ({
      configuration: bench.environment().start,
      split: 'train',
      count: bench.many,
      seed: 'first',
      ...change,
    });

    it('the same request gives the same tasks in the same order, here and in another environment', async () => {
      const once = await collected(bench.environment().generate(request()));
      const again = await collected(bench.environment().generate(request()));
      const elsewhere = await collected((await bench.another()).generate(request()));
      expect(again).toEqual(once);
      expect(elsewhere).toEqual(once);
    });

    it('another seed gives other tasks, and another split', async () => {
      const digests = async (change: Partial<GenerateRequest>): Promise<string[]> =>
        (await collected(bench.environment().generate(request(change)))).tasks.map(({ instance }) =>
          digestOf(instance),
        );
      const first = await digests({});
      expect(await digests({ seed: 'second' })).not.toEqual(first);
      expect(await digests({ split: 'validation' })).not.toEqual(first);
    });

    it('there are as many as asked for, or shortages say of what there are fewer', async () => {
      for (const count of [0, 1, bench.many]) {
        const { tasks, shortages } = await collected(bench.environment().generate(request({ count, split: 'test' })));
        expect(tasks.length + missingIn(shortages)).toBe(count);
        for (const { asked, achieved, says } of shortages) {
          expect(achieved).toBeLessThan(asked);
          expect(says).not.toBe('');
        }
      }
    });

    it('each task has a name of its own, a known family, and facts of a kind', async () => {
      const { descriptor } = bench.environment();
      const { tasks } = await collected(bench.environment().generate(request()));
      const families = descriptor.families.map(({ family }) => family);
      const known = descriptor.facts?.map(({ fact }) => fact);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
      for (const task of tasks) {
        expect(families).toContain(task.family);
        for (const value of Object.values(task.facts)) expect(typeof value).toMatch(/^(number|boolean)$/);
        if (known !== undefined) expect(known).toEqual(expect.arrayContaining(Object.keys(task.facts)));
      }
    });

    it('a digest is that of the task itself', async () => {
      const { tasks } = await collected(bench.environment().generate(request()));
      for (const { digest, instance } of tasks) expect(digest ?? digestOf(instance)).toBe(digestOf(instance));
    });

    it('tasks survive being written down', async () => {
      const { tasks } = await collected(bench.environment().generate(request()));
      expect(JSON.parse(JSON.stringify(tasks))).toEqual(tasks);
    });

    it('two generators read by turns do not disturb each other', async () => {
      const alone = await collected(bench.environment().generate(request()));
      const other = await collected(bench.environment().generate(request({ seed: 'second' })));
      const both = await byTurns(bench.environment(), request(), request({ seed: 'second' }));
      expect(both).toEqual([alone.tasks, other.tasks]);
    });
  });
}

async function byTurns(environment: Environment, ...requests: GenerateRequest[]): Promise<unknown[][]> {
  const running = requests.map((request) => ({ tasks: environment.generate(request), all: [] as unknown[] }));
  for (let open = running.length; open > 0; ) {
    open = running.length;
    for (const { tasks, all } of running) {
      const next = await tasks.next();
      if (next.done === true) open -= 1;
      else all.push(next.value);
    }
  }
  return running.map(({ all }) => all);
}
