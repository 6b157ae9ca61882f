import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapInOrder } from './in-order.ts';

async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('concurrent work', () => {
  it('yields its results in order, whatever order it completes in, within the concurrency limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat({ max: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (scheduler, count, width) => {
          let underWay = 0;
          const work = async (item: number): Promise<number> => {
            underWay += 1;
            expect(underWay).toBeLessThanOrEqual(width);
            await scheduler.schedule(Promise.resolve());
            underWay -= 1;
            return item * 2;
          };
          const items = Array.from({ length: count }, (_, i) => i);
          const reading = listed(mapInOrder(items, width, work));
          const results = await scheduler.waitFor(reading);
          expect(results).toEqual(items.map((item) => item * 2));
        },
      ),
    );
  });

  it('throws an error at its position, and closes the source', async () => {
    const seen: number[] = [];
    let left = false;
    function* source(): Generator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        left = true;
      }
    }
    const work = async (item: number): Promise<number> => {
      if (item === 7) throw new Error('seven');
      return item;
    };
    const reading = async (): Promise<void> => {
      for await (const result of mapInOrder(source(), 4, work)) seen.push(result);
    };
    await expect(reading()).rejects.toThrow('seven');
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(left).toBe(true);
  });
});
