// The contract: any number of tasks, taken as they come and no faster than they are planned.
import { describe, expect, it } from 'vitest';
import type { Task } from '../../environments/environment.ts';
import type { Planned } from '../policy.ts';
import { type Bench, lasting, plansOf, seed } from './fixture.ts';

/** A policy may plan so many tasks together. */
const mostAhead = 1024;

export function flowing(bench: Bench): void {
  describe('any number of tasks', () => {
    it('are taken a bounded number ahead, and no more when nobody reads on', async () => {
      const tasks = bench.tasks();
      let taken = 0;
      let left = false;
      async function* endless(): AsyncGenerator<Task, void, undefined> {
        try {
          for (;;) yield tasks[taken++ % tasks.length] as Task;
        } finally {
          left = true;
        }
      }
      let read = 0;
      for await (const { task } of bench.policy().plan({ tasks: endless(), seed })) {
        expect(task).toEqual(tasks[read % tasks.length]);
        read += 1;
        expect(taken - read).toBeLessThanOrEqual(mostAhead);
        if (read === bench.many) break;
      }
      const afterwards = taken;
      expect(left).toBe(true);
      await plansOf(bench.policy(), { tasks: [] });
      expect(taken).toBe(afterwards);
    });

    it('are not taken before the first plan is asked for', async () => {
      let taken = 0;
      function* counted(): Generator<Task, void, undefined> {
        for (const task of bench.tasks()) {
          taken += 1;
          yield task;
        }
      }
      const plans = bench.policy().plan({ tasks: counted(), seed });
      expect(taken).toBe(0);
      await plans.return();
      expect(taken).toBe(0);
    });

    it('that come slowly are planned as they come', async () => {
      const [first, second] = bench.tasks() as [Task, Task];
      const gate = Promise.withResolvers<void>();
      async function* slow(): AsyncGenerator<Task, void, undefined> {
        yield first;
        await gate.promise;
        yield second;
      }
      const plans = bench.policy().plan({ tasks: slow(), seed });
      const planned = [await plans.next()];
      gate.resolve();
      planned.push(await plans.next());
      expect((await plans.next()).done).toBe(true);
      const alike = await plansOf(bench.policy(), { tasks: [first, second] });
      expect(planned.map(({ value }) => lasting(value as Planned))).toEqual(alike.map(lasting));
    });

    it('from a source that breaks break the planning for its reason, and the policy goes on', async () => {
      const tasks = bench.tasks();
      const reason = new Error('the environment is gone');
      async function* breaking(): AsyncGenerator<Task, void, undefined> {
        yield* tasks.slice(0, 3);
        throw reason;
      }
      const planned: Planned[] = [];
      const reading = async (): Promise<void> => {
        for await (const plan of bench.policy().plan({ tasks: breaking(), seed })) planned.push(plan);
      };
      await expect(reading()).rejects.toBe(reason);
      const alike = (await plansOf(bench.policy(), { tasks: tasks.slice(0, 3) })).map(lasting);
      expect(planned.map(lasting)).toEqual(alike.slice(0, planned.length));
    });
  });
}
