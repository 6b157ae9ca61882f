// The contract: stopping in the middle, and closing.
import { describe, expect, it } from 'vitest';
import { listed } from '../../environments/contract/fixture.ts';
import type { Task } from '../../environments/environment.ts';
import { PolicyClosed } from '../policy.ts';
import { type Bench, lasting, plansOf, seed } from './fixture.ts';

export function ending(bench: Bench): void {
  const reason = new Error('stopped by a person');

  /** One task, and then none for ever. */
  async function* stuck(): AsyncGenerator<Task, void, undefined> {
    yield bench.tasks()[0] as Task;
    await new Promise(() => {});
  }

  describe('stopping', () => {
    it('plans that nobody reads to their end leave the policy as it was', async () => {
      const tasks = bench.tasks();
      const whole = (await plansOf(bench.policy(), { tasks })).map(lasting);
      for await (const planned of bench.policy().plan({ tasks, seed })) {
        expect(lasting(planned)).toEqual(whole[0]);
        break;
      }
      expect((await plansOf(bench.policy(), { tasks })).map(lasting)).toEqual(whole);
    });

    it('what is aborted throws the reason, before the first plan or in the middle', async () => {
      const tasks = bench.tasks();
      const before = bench.policy().plan({ tasks, seed, signal: AbortSignal.abort(reason) });
      await expect(before.next()).rejects.toBe(reason);
      const stop = new AbortController();
      const plans = bench.policy().plan({ tasks, seed, signal: stop.signal });
      await plans.next();
      stop.abort(reason);
      await expect(plans.next()).rejects.toBe(reason);
      expect((await plans.next()).done).toBe(true);
      expect(await plansOf(bench.policy(), { tasks: tasks.slice(0, 1) })).toHaveLength(1);
    });

    it('what is aborted while it waits for tasks throws the reason at once', async () => {
      const stop = new AbortController();
      const plans = bench.policy().plan({ tasks: stuck(), seed, signal: stop.signal });
      await plans.next();
      const waiting = plans.next();
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });
  });

  describe('closing', () => {
    it('ends what is under way, refuses what comes later, and may be done twice', async () => {
      const policy = await bench.another();
      const tasks = bench.tasks();
      const plans = policy.plan({ tasks, seed });
      await plans.next();
      const waiting = policy.plan({ tasks: stuck(), seed });
      await waiting.next();
      const refused = expect(waiting.next()).rejects.toThrow(PolicyClosed);
      await Promise.all([policy.close(), policy.close()]);
      await policy.close();
      await refused;
      await expect(listed(plans)).rejects.toThrow(PolicyClosed);
      await expect(policy.plan({ tasks, seed }).next()).rejects.toThrow(PolicyClosed);
    });
  });
}
