// A run whose rollouts are split into shards has the same results as in one piece, whoever makes them.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Counted, countedOf } from '../testing/counted.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../testing/tiny.ts';

const run = 'tiny00000000';
let whole: TinyPlace;
let expected: Counted;

beforeAll(async () => {
  whole = await tinyPlace();
  await runTiny(whole, { run });
  expected = await countedOf(whole.ledger, run);
}, 60_000);
afterAll(() => whole.close());

async function place(): Promise<TinyPlace> {
  const made = await tinyPlace();
  onTestFinished(() => made.close());
  return made;
}

describe('a run with shards and no workers', () => {
  it('has the same results as in one piece, including the ids of its rollouts', async () => {
    const at = await place();
    const { ended } = await runTiny(at, { run, settings: tinySettings({ shards: 3 }) });
    expect(ended).toBe('completed');
    expect(await countedOf(at.ledger, run)).toEqual(expected);
  }, 60_000);

  it('may have more shards than tasks', async () => {
    const at = await place();
    const settings = tinySettings({ shards: 90 });
    const { history } = await runTiny(at, { run, settings, until: ({ do: next }) => next === 'summarise' });
    const { rollouts } = await countedOf(at.ledger, run);
    const { '1 probe': probe, '1 train': train } = expected.rollouts;
    expect(rollouts).toEqual({ '1 probe': probe, '1 train': train });
    const attempts = history.stages[0]?.sealed?.data.attempts.length ?? 0;
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(90);
  }, 60_000);
});
