// The contract: stopping in the middle, and closing.
import { describe, expect, it } from 'vitest';
import { type Environment, EnvironmentClosed, type Task, type Try } from '../environment.ts';
import { type Bench, collected, listed } from './fixture.ts';

export function ending(bench: Bench): void {
  const requestOf = ({ start }: Environment, signal?: AbortSignal) => ({
    configuration: start,
    split: 'train' as const,
    count: bench.many,
    seed: 'ended',
    ...(signal === undefined ? {} : { signal }),
  });
  const aTry = async (environment: Environment): Promise<Try> => {
    const { tasks } = await collected(environment.generate({ ...requestOf(environment), count: 1 }));
    return { task: tasks[0] as Task, answer: bench.right(tasks[0] as Task) };
  };

  describe('stopping', () => {
    it('a generator that nobody reads to its end leaves the environment as it was', async () => {
      const environment = bench.environment();
      const whole = await collected(environment.generate(requestOf(environment)));
      for await (const task of environment.generate(requestOf(environment))) {
        expect(task).toEqual(whole.tasks[0]);
        break;
      }
      expect(await collected(environment.generate(requestOf(environment)))).toEqual(whole);
    });

    it('what is aborted throws the reason, before the first task or in the middle', async () => {
      const environment = bench.environment();
      const reason = new Error('stopped by a person');
      const before = environment.generate(requestOf(environment, AbortSignal.abort(reason)));
      await expect(before.next()).rejects.toBe(reason);
      const stop = new AbortController();
      const tasks = environment.generate(requestOf(environment, stop.signal));
      await tasks.next();
      stop.abort(reason);
      await expect(tasks.next()).rejects.toBe(reason);
      expect((await tasks.next()).done).toBe(true);
    });

    it('judging that is aborted throws the reason, also while it waits for tries', async () => {
      const environment = bench.environment();
      const reason = new Error('stopped by a person');
      const tried = await aTry(environment);
      const never = Promise.withResolvers<void>();
      async function* stuck(): AsyncGenerator<Try, void, undefined> {
        yield tried;
        await never.promise;
      }
      const stop = new AbortController();
      const verdicts = environment.judge(stuck(), stop.signal);
      await verdicts.next();
      const waiting = verdicts.next();
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      never.resolve();
      expect(await listed(environment.judge([tried]))).toHaveLength(1);
    });
  });

  describe('closing', () => {
    it('ends what is under way, refuses what comes later, and may be done twice', async () => {
      const environment = await bench.another();
      const tried = await aTry(environment);
      const tasks = environment.generate({ ...requestOf(environment), count: bench.many * 50 });
      await tasks.next();
      await Promise.all([environment.close(), environment.close()]);
      await environment.close();
      await expect(collected(tasks)).rejects.toThrow(EnvironmentClosed);
      await expect(environment.generate(requestOf(environment)).next()).rejects.toThrow(EnvironmentClosed);
      await expect(listed(environment.judge([tried]))).rejects.toThrow(EnvironmentClosed);
      const probe = { configuration: environment.start, split: 'probe', perCell: 1, seed: 'a' } as const;
      if (!bench.lacks?.includes('probe'))
        await expect(environment.probe(probe).next()).rejects.toThrow(EnvironmentClosed);
      for (const { name } of environment.suites)
        await expect(environment.suite(name).next()).rejects.toThrow(EnvironmentClosed);
      if (environment.draw !== undefined) await expect(environment.draw(tried.task)).rejects.toThrow(EnvironmentClosed);
      if (environment.prompt !== undefined)
        await expect(environment.prompt(tried.task)).rejects.toThrow(EnvironmentClosed);
    });
  });
}
