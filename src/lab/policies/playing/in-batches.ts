// Items of a source that come one by one, as lists: whatever is there without waiting goes together.
import { setImmediate } from 'node:timers/promises';

/**
 * At most so many at once, and never two of the same name. What the source throws is thrown after all that came before it.
 */
export async function* inBatches<Item>(
  source: AsyncGenerator<Item, void, undefined>,
  most: number,
  nameOf: (item: Item) => string,
): AsyncGenerator<Item[], void, undefined> {
  let next: Promise<IteratorResult<Item, void>> | null = null;
  try {
    for (;;) {
      const first = await (next ?? source.next());
      next = null;
      if (first.done === true) return;
      const items = [first.value];
      const names = new Set([nameOf(first.value)]);
      while (items.length < most) {
        next = source.next();
        const soon = await Promise.race([next.catch(() => null), setImmediate(null)]);
        if (soon === null || soon.done === true || names.has(nameOf(soon.value))) break;
        items.push(soon.value);
        names.add(nameOf(soon.value));
        next = null;
      }
      yield items;
    }
  } finally {
    const left = source.return();
    // A source that is just being asked may be stuck.
    if (next === null) await left;
    else left.catch(() => {});
  }
}
