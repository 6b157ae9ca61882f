import { describe, expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { rememberingTraining } from './caching.ts';
import type { Environment, GenerateRequest, Task } from './environment.ts';

async function tasksOf(environment: Environment, request: GenerateRequest): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of environment.generate(request)) tasks.push(task);
  return tasks;
}

describe('an environment that caches training tasks', () => {
  const lake = openLake();
  let asked = 0;
  const counting: Environment = {
    ...lake,
    generate: (request) => {
      asked += 1;
      return lake.generate(request);
    },
  };
  const request = (seed: string, count = 8): GenerateRequest => ({
    ...{ configuration: { ...lake.start } as GenerateRequest['configuration'], split: 'train' as const },
    ...{ count, seed },
  });

  it('returns the same tasks without another request', async () => {
    const remembering = rememberingTraining(counting);
    const first = await tasksOf(remembering, request('a'));
    asked = 0;
    expect(await tasksOf(remembering, request('a'))).toEqual(first);
    expect(asked).toBe(0);
    expect(first).toEqual(await tasksOf(lake, request('a')));
  });

  it('drops the least recently used tasks, and does not cache requests above its capacity', async () => {
    const remembering = rememberingTraining(counting, 20);
    for (const seed of ['a', 'b', 'a', 'c']) await tasksOf(remembering, request(seed));
    asked = 0;
    for (const seed of ['a', 'c']) await tasksOf(remembering, request(seed));
    expect(asked).toBe(0);
    await tasksOf(remembering, request('b'));
    expect(asked).toBe(1);
    for (const _ of [1, 2]) await tasksOf(remembering, request('d', 200));
    expect(asked).toBe(3);
  });
});
