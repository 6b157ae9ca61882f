import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Kind, type Order, ordersOf } from './orders.ts';
import { configurationOf, configurations, type Part, parts } from './testing/configurations.ts';

const agentCounts = fc.integer({ min: 1, max: 8 });
const counts = fc.nat(2000);

/** `share` parts of `whole` as the nearest whole number, halves rounded up. */
const nearestPart = (share: number, whole: number): number => Math.floor((2 * share * whole + parts) / (2 * parts));

function total(orders: readonly Order[], measure: (kind: Kind) => number = () => 1): number {
  return orders.reduce((sum, { kind, count }) => sum + measure(kind) * count, 0);
}

/** Runs a check on the orders of every size, with the requested shares. */
function ofEverySize(check: (orders: readonly Order[], part: Part, all: number, count: number) => void): void {
  fc.assert(
    fc.property(configurations(), agentCounts, counts, (some, agents, count) => {
      const orders = ordersOf(configurationOf(some, agents), count);
      const all = some.reduce((sum, { weight }) => sum + weight, 0);
      for (const part of some) {
        const ofSize = orders.filter(({ kind }) => kind.size === part.size);
        check(ofSize, part, all, count);
      }
    }),
    { numRuns: 300 },
  );
}

describe('the orders of a configuration', () => {
  it('have the requested number of instances and agents', () => {
    fc.assert(
      fc.property(configurations(), agentCounts, counts, (some, agents, count) => {
        const orders = ordersOf(configurationOf(some, agents), count);
        expect(total(orders)).toBe(count);
        expect(orders.every(({ kind }) => kind.agents === agents)).toBe(true);
      }),
    );
  });

  it('list each kind once, without empty orders, ordered by size', () => {
    fc.assert(
      fc.property(configurations(), counts, (some, count) => {
        const orders = ordersOf(configurationOf(some, 2), count);
        expect(new Set(orders.map(({ kind }) => JSON.stringify(kind))).size).toBe(orders.length);
        expect(orders.every((order) => order.count > 0)).toBe(true);
        const sizes = orders.map(({ kind }) => kind.size);
        expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
      }),
    );
  });

  it('give every size its share of the instances, within one', () => {
    ofEverySize((orders, { weight }, all, count) => {
      expect(Math.abs(total(orders) * all - weight * count)).toBeLessThan(all);
    });
  });

  it('give each size its share of waits, within one', () => {
    ofEverySize((orders, { wait }) => {
      const waiting = total(orders.filter(({ kind }) => kind.needsWait));
      expect(Math.abs(waiting * parts - wait * total(orders))).toBeLessThan(parts);
    });
  });

  it('round the total number of waits to the nearest number', () => {
    fc.assert(
      fc.property(configurations(), counts, (some, count) => {
        const orders = ordersOf(configurationOf(some, 2), count);
        const asked = some.reduce(
          (sum, { size, wait }) => sum + wait * total(orders.filter(({ kind }) => kind.size === size)),
          0,
        );
        expect(total(orders.filter(({ kind }) => kind.needsWait))).toBe(nearestPart(asked, 1));
      }),
    );
  });

  it('round the total number of holes of each size to the nearest number', () => {
    ofEverySize((orders, { size, hole }) => {
      const holes = total(orders, (kind) => kind.holes);
      expect(holes).toBe(nearestPart(hole, size * size * total(orders)));
    });
  });

  it('vary by at most one hole within a size', () => {
    ofEverySize((orders) => {
      const holes = orders.map(({ kind }) => kind.holes);
      expect(Math.max(...holes) - Math.min(...holes)).not.toBeGreaterThan(1);
    });
  });

  it('give instances with a wait the same share of holes, up to rounding', () => {
    ofEverySize((orders) => {
      const fewest = Math.min(...orders.map(({ kind }) => kind.holes));
      const extra = (kind: Kind): number => kind.holes - fewest;
      const waiting = orders.filter(({ kind }) => kind.needsWait);
      const independent = (total(waiting) * total(orders, extra)) / total(orders);
      if (orders.length > 0) expect(Math.abs(total(waiting, extra) - independent)).toBeLessThanOrEqual(0.5);
    });
  });

  it('for ten lakes of 4 x 4 with 15 % holes and 25 % waits', () => {
    const kind = (holes: number, needsWait: boolean): Kind => ({ size: 4, agents: 2, holes, needsWait });
    expect(ordersOf({ agents: 2, sizes: { 4: { data: 1, hole: 0.15, wait: 0.25 } } }, 10)).toEqual([
      { kind: kind(2, false), count: 4 },
      { kind: kind(3, false), count: 3 },
      { kind: kind(2, true), count: 2 },
      { kind: kind(3, true), count: 1 },
    ]);
  });
});
