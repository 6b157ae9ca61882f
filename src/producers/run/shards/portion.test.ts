// The tasks of each shard: each task once, in order, and about the same number per shard.
import { describe, expect, it } from 'vitest';
import { collected } from '../../../lab/environments/contract/tasks.ts';
import { lake } from '../../../lab/policies/testing/speaking.ts';
import { PortionedPool, portionOf } from './portion.ts';

const pool = () => lake.generate({ configuration: lake.start, split: 'validation', count: 11, seed: 'portions' });

describe('the portions of a pool', () => {
  it.each([1, 2, 3, 11, 14])('of %i shards are the pool in order', async (shards) => {
    const { tasks } = await collected(pool());
    const portioned = new PortionedPool(pool);
    const all = [];
    for (let shard = 0; shard < shards; shard++) {
      for await (const task of portioned.portion(portionOf(tasks.length, shard, shards))) all.push(task);
    }
    expect(all).toEqual(tasks);
  });

  it('differ by at most one task', () => {
    const sizes = Array.from({ length: 4 }, (_, shard) => portionOf(11, shard, 4)).map(({ from, to }) => to - from);
    expect(sizes.toSorted()).toEqual([2, 3, 3, 3]);
  });

  it('know the number of tasks', async () => {
    expect(await new PortionedPool(pool).count()).toBe(11);
  });

  it('can be read in any order, and repeatedly', async () => {
    const { tasks } = await collected(pool());
    const portioned = new PortionedPool(pool);
    for (const [from, to] of [
      [4, 8],
      [8, 11],
      [2, 5],
      [2, 5],
      [0, 100],
    ] as const) {
      const portion = [];
      for await (const task of portioned.portion({ from, to })) portion.push(task);
      expect(portion).toEqual(tasks.slice(from, to));
    }
  });

  it('start at their first task, even after a portion that was not read to its end', async () => {
    const { tasks } = await collected(pool());
    const portioned = new PortionedPool(pool);
    for await (const task of portioned.portion({ from: 1, to: 5 })) if (task.id === tasks[2]?.id) break;
    const portion = [];
    for await (const task of portioned.portion({ from: 5, to: 7 })) portion.push(task);
    expect(portion).toEqual(tasks.slice(5, 7));
  });
});
