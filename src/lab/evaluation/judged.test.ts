import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listed } from '../environments/contract/tasks.ts';
import type { Planned } from '../policies/policy.ts';
import { judged } from './judged.ts';
import { coin, environmentThat, heads, tails } from './testing/stubs.ts';

const fault = { kind: 'timeout', message: 'the endpoint did not answer' };

/** A plan before judging, and its expected verdict. */
const kinds = {
  judged: { known: {}, verdict: heads },
  played: { known: { verdict: tails() }, verdict: tails() },
  spoilt: { known: { fault }, verdict: { spoilt: fault } },
} as const;

it('plans with a verdict or a fault skip the judge and keep their place', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('judged', 'played', 'spoilt'), { maxLength: 40 }), async (order) => {
      const asked: string[] = [];
      const environment = environmentThat(({ task }) => {
        asked.push(task.id);
        return heads;
      });
      async function* plans(): AsyncGenerator<Planned, void, undefined> {
        for (const [i, kind] of order.entries()) yield { task: coin(i), sample: 0, answer: i, ...kinds[kind].known };
      }
      const all = await listed(judged(environment, plans()));
      expect(all.map(({ planned }) => planned.answer)).toEqual(order.map((_, i) => i));
      expect(all.map(({ verdict }) => verdict)).toEqual(order.map((kind) => kinds[kind].verdict));
      expect(asked).toEqual(order.flatMap((kind, i) => (kind === 'judged' ? [`coin-${i}`] : [])));
    }),
    { numRuns: 50 },
  );
});
