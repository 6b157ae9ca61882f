// The contract, sixth part: against a model. Any sequence of appends, with any expectations and any repetitions, leaves
// just what a few lines in memory say it leaves.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expectation } from '../event.ts';
import { type Bench, collect } from './fixture.ts';
import { noteIn, streams } from './samples.ts';

interface Step {
  readonly stream: number;
  readonly events: readonly number[];
  readonly expect: Expectation;
}

const step: fc.Arbitrary<Step> = fc.record({
  stream: fc.nat({ max: streams.length - 1 }),
  events: fc.array(fc.nat({ max: 30 }), { maxLength: 5 }),
  expect: fc.oneof(
    fc.constantFrom('any' as const, 'none' as const, 'exists' as const),
    fc.integer({ min: -1, max: 8 }),
  ),
});

type Outcome = { readonly revision: number; readonly existed: readonly boolean[] } | 'WrongRevision';

/** The contract in memory: streams as lists of event numbers. */
class Model {
  readonly streams: number[][] = streams.map(() => []);

  append({ stream, events, expect: expected }: Step): Outcome {
    const there = this.streams[stream] as number[];
    const known = events.map((event) => there.indexOf(event));
    if (!this.#holds(there, events, known, expected)) return 'WrongRevision';
    const existed = events.map((event) => {
      if (there.includes(event)) return true;
      there.push(event);
      return false;
    });
    return { revision: there.length - 1, existed };
  }

  #holds(
    there: readonly number[],
    events: readonly number[],
    known: readonly number[],
    expected: Expectation,
  ): boolean {
    if (expected === 'any') return true;
    if (expected === 'exists') return there.length > 0;
    let reached = expected === 'none' ? -1 : expected;
    if (reached === there.length - 1) return true;
    let leading = 0;
    while (leading < events.length && reached < there.length - 1) {
      const at = known[leading] as number;
      if (at < 0 || at > reached + 1) break;
      reached = Math.max(reached, at);
      leading++;
    }
    return reached === there.length - 1 || (leading === events.length && leading > 0);
  }
}

export function modelled(bench: () => Bench): void {
  describe('any sequence of appends', () => {
    it('leaves what the model says', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          const ledger = await bench().fresh();
          const known = ledger.capabilities.expectations;
          const model = new Model();
          for (const one of steps) {
            if (!known.includes(typeof one.expect === 'number' ? 'revision' : one.expect)) continue;
            const stream = streams[one.stream] as string;
            const events = one.events.map((index) => noteIn(stream, index));
            const done = await ledger.append(stream, events, { expect: one.expect }).then(
              ({ revision, existed }): Outcome => ({ revision, existed }),
              (error: { name: string }) => error.name,
            );
            expect(done).toEqual(model.append(one));
          }
          for (const [index, stream] of streams.entries()) {
            const stored = (await collect(ledger.read(stream))).map((event) => event.id);
            expect(stored).toEqual((model.streams[index] as number[]).map((event) => noteIn(stream, event).id));
          }
          await bench().close();
        }),
        { numRuns: bench().some(60) },
      );
    });
  });
}
