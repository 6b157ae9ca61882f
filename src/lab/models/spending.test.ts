import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpendingCapReached } from './faults.ts';
import { costOf, mostCost, type SetAside, Spending } from './spending.ts';
import { entryOf } from './testing/models.ts';

const prices = { input: 2, output: 8, cached: 0.5, currency: 'USD' };
const place = { entry: 'gpt', url: 'http://localhost/v1', key: null };
const never = new AbortController().signal;

describe('the cost of an answer', () => {
  it('is the sum over all kinds of tokens', () => {
    const cost = costOf({ input: 1_000_000, cached: 400_000, output: 500_000, reasoning: 300_000 }, prices);
    expect(cost).toEqual({
      currency: 'USD',
      total: 1.2 + 0.2 + 4,
      parts: { input: 1.2, cached: 0.2, output: 4 },
      prices: { input: 2, output: 8, cached: 0.5 },
    });
  });

  it('is unknown without prices or token counts', () => {
    expect(costOf({ input: 1, output: 1 }, null)).toBe(undefined);
    for (const usage of [undefined, {}, { input: 1 }, { output: 1 }]) expect(costOf(usage, prices)).toBe(undefined);
  });

  it('has an upper bound before the request', () => {
    const question = fc.record({ bytes: fc.nat(10_000), limit: fc.nat(10_000) });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(question, share, share, share, ({ bytes, limit }, input, cached, output) => {
        const tokens = Math.floor(bytes * input);
        const usage = { input: tokens, cached: Math.floor(tokens * cached), output: Math.floor(limit * output) };
        const most = mostCost(bytes, { max_tokens: limit }, prices);
        expect(costOf(usage, prices)?.total).toBeLessThanOrEqual(most);
      }),
    );
    expect(mostCost(10, {}, prices)).toBe(Number.POSITIVE_INFINITY);
    expect(mostCost(10, {}, { ...prices, output: 0 })).toBeLessThan(1);
    expect(mostCost(0, { max_completion_tokens: 1_000_000, max_tokens: 1 }, prices)).toBeGreaterThan(8);
  });
});

describe('a spending cap', () => {
  it('admits what stays below it, including reservations', async () => {
    const spending = new Spending({ currency: 'USD', most: 1 });
    (await spending.setAside(0.9, place, never)).settle(0.3);
    (await spending.setAside(0.7, place, never)).settle(0.7);
    expect(spending.spent).toBeCloseTo(1);
    await expect(spending.setAside(0.01, place, never)).rejects.toThrow(SpendingCapReached);
  });

  it('counts unknown costs in full, and questions never asked as free', async () => {
    const spending = new Spending({ currency: 'USD', most: 1 });
    (await spending.setAside(0.4, place, never)).settle(null);
    const refused = await spending.setAside(0.5, place, never);
    refused.settle(0);
    refused.settle(0.5);
    expect(spending.spent).toBe(0.4);
  });

  it('refuses if too little is left', async () => {
    const spending = new Spending({ currency: 'USD', most: 1 });
    (await spending.setAside(0.9, place, never)).settle(0.9);
    await expect(spending.setAside(0.2, place, never)).rejects.toThrow(
      'the model gpt at http://localhost/v1: 0.9 USD of 1 USD are spent, and the next answer may cost 0.2 USD',
    );
  });

  it('waits while answers in progress may release enough, until an abort', async () => {
    const spending = new Spending({ currency: 'USD', most: 1 });
    const first = await spending.setAside(0.8, place, never);
    const second = spending.setAside(0.8, place, never);
    const stop = new AbortController();
    const third = spending.setAside(0.8, place, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(third).rejects.toThrow('stopped');
    first.settle(0.1);
    (await second).settle(0.8);
    await expect(spending.setAside(0.8, place, never)).rejects.toThrow(SpendingCapReached);
  });

  it('is never exceeded, for any number of questions and any costs', async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const asked = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), share), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(asked, async (asked) => {
        const spending = new Spending({ currency: 'USD', most: 2 });
        const open: [SetAside, number][] = [];
        const asking = asked.map(async ([most, really]) => {
          open.push([await spending.setAside(most, place, never), most * really]);
          await new Promise(setImmediate);
          const [aside, cost] = open.shift() as [SetAside, number];
          aside.settle(cost);
        });
        const ends = await Promise.allSettled(asking);
        expect(spending.spent).toBeLessThanOrEqual(2 + 1e-9);
        for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(SpendingCapReached);
      }),
      { numRuns: 50 },
    );
  });

  it('requires that the cost of answers can be bounded', () => {
    const spending = new Spending({ currency: 'USD', most: 1 });
    const check =
      (more: object, parameters: object = {}) =>
      () =>
        spending.check(entryOf('http://localhost/v1', more), { ...parameters });
    expect(check({})).toThrow('there is a spending cap, and the model local has no prices');
    expect(check({ prices: { input: 1, output: 1, currency: 'EUR' } })).toThrow('prices in EUR');
    expect(check({ prices: { input: 1, output: 1 } })).toThrow('no limit for the length of its answers');
    expect(check({ prices: { input: 1, output: 1 } }, { max_tokens: 10 })).not.toThrow();
    expect(check({ prices: { input: 0, output: 0 } })).not.toThrow();
  });
});
