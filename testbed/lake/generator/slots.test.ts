import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startConfiguration } from '../configuration.ts';
import { type Kind, kindName, type Order, ordersOf, type Slot, slotsOf } from './orders.ts';
import { configurationOf, configurations } from './testing/configurations.ts';

const someOrders = fc
  .tuple(configurations(), fc.nat(2000))
  .map(([some, count]) => ordersOf(configurationOf(some, 2), count));

/** The largest deviation of the prefixes of a sequence, up or down, from the share of each group. */
function straying(orders: readonly Order[], slots: readonly Slot[], groupOf: (kind: Kind) => unknown): number {
  const asked = new Map<unknown, number>();
  for (const { kind, count } of orders) asked.set(groupOf(kind), (asked.get(groupOf(kind)) ?? 0) + count);
  const done = new Map<unknown, number>();
  let farthest = 0;
  for (const [i, { kind }] of slots.entries()) {
    done.set(groupOf(kind), (done.get(groupOf(kind)) ?? 0) + 1);
    for (const [group, count] of asked) {
      const share = (count * (i + 1)) / slots.length;
      farthest = Math.max(farthest, Math.abs((done.get(group) ?? 0) - share));
    }
  }
  return farthest;
}

describe('the slots of some orders', () => {
  it('contain the ordered number of each kind, numbered from 0', () => {
    fc.assert(
      fc.property(someOrders, (orders) => {
        const ordinals = Map.groupBy(slotsOf(orders), ({ kind }) => kindName(kind));
        expect(ordinals.size).toBe(orders.length);
        for (const { kind, count } of orders) {
          const numbers = ordinals.get(kindName(kind))?.map(({ ordinal }) => ordinal);
          expect(numbers).toEqual(Array.from({ length: count }, (_, ordinal) => ordinal));
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['kind', kindName],
    ['size', ({ size }: Kind) => size],
    ['wait group', ({ needsWait }: Kind) => needsWait],
  ])('match the share of every %s in every prefix, within two', (_, groupOf) => {
    fc.assert(
      fc.property(someOrders, (orders) => {
        expect(straying(orders, [...slotsOf(orders)], groupOf)).toBeLessThan(2);
      }),
      { numRuns: 100 },
    );
  });

  it('have the requested waits in every training batch, not only in total', () => {
    const slots = [...slotsOf(ordersOf(startConfiguration, 4800))];
    for (let first = 0; first < slots.length; first += 48) {
      const batch = slots.slice(first, first + 48);
      expect(batch.filter(({ kind }) => kind.needsWait)).toHaveLength(12);
      for (const size of Object.keys(startConfiguration.sizes)) {
        expect(batch.filter(({ kind }) => String(kind.size) === size)).toHaveLength(6);
      }
    }
  });

  it('never exceed the order of a kind, even if its size lags until the end', () => {
    const order = (size: number, holes: number, needsWait: boolean, count: number): Order => ({
      kind: { size, agents: 2, holes, needsWait },
      count,
    });
    const orders = [
      order(3, 0, false, 1),
      order(3, 0, true, 3),
      order(3, 1, true, 4),
      order(5, 0, false, 3),
      order(5, 1, false, 4),
      order(5, 0, true, 3),
      order(5, 1, true, 3),
    ];
    const slots = [...slotsOf(orders)];
    for (const { kind, count } of orders) expect(slots.filter((slot) => slot.kind === kind)).toHaveLength(count);
  });

  it('are empty without orders', () => {
    expect([...slotsOf([])]).toEqual([]);
  });

  it('are generated one by one', () => {
    const orders = ordersOf(startConfiguration, 1e9);
    expect([...slotsOf(orders).take(100)]).toHaveLength(100);
  });
});
