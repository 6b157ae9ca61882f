// The plan of an append, compared with what the SQLite store stores.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isChained, streamOf } from '../../../schemas/streams.ts';
import { collect, type Fixture } from '../contract/fixture.ts';
import { noteIn, rolloutIn } from '../contract/samples.ts';
import { sqliteFixture } from '../contract/sqlite-fixture.ts';
import { type Expectation, plainId } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { type End, type Plan, planned, type Stored } from './planning.ts';

interface Step {
  readonly events: readonly { readonly index: number; readonly isOther: boolean }[];
  readonly expect: Expectation;
}

const step: fc.Arbitrary<Step> = fc.record({
  events: fc.array(
    fc.record({
      index: fc.nat({ max: 8 }),
      isOther: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
    { maxLength: 5 },
  ),
  expect: fc.oneof(
    fc.constantFrom('any' as const, 'none' as const, 'exists' as const),
    fc.integer({ min: -1, max: 8 }),
  ),
});

/** A stream in memory, which stores what is planned. */
class PlannedStream {
  readonly #stream: string;
  readonly #stored = new Map<string, Stored>();
  #end: End = { next: 0, last: null };

  constructor(stream: string) {
    this.#stream = stream;
  }

  get bodies(): readonly string[] {
    return [...this.#stored.values()].map(({ body }) => body);
  }

  append(events: Parameters<typeof prepareEvents>[1], expect: Expectation): Plan {
    const prepared = prepareEvents(this.#stream, events, 1_000_000);
    const ids = prepared.map(({ id }) => plainId(id));
    const plan = planned(this.#stream, { end: this.#end, stored: this.#stored }, prepared, ids, expect);
    for (const event of plan.fresh) this.#stored.set(event.id, event);
    const last = isChained(this.#stream) ? (plan.fresh.at(-1)?.digest ?? this.#end.last) : null;
    this.#end = { next: plan.revision + 1, last };
    return plan;
  }
}

async function outcomeOf(append: () => Promise<Omit<Plan, 'fresh'>>): Promise<unknown> {
  try {
    const { revision, existed, digests } = await append();
    return { revision, existed, digests };
  } catch (error) {
    const { name, facts } = error as { name: string; facts: unknown };
    return { name, facts };
  }
}

describe('the plan of an append', () => {
  let fixture: Fixture;
  let ledger: Ledger;
  let runs = 0;

  beforeAll(async () => {
    fixture = await sqliteFixture();
    ledger = await fixture.open(await fixture.fresh());
  });
  afterAll(async () => {
    await ledger.close();
    await fixture.dispose();
  });

  it.each([
    ['chained', (run: string): string => streamOf.notes(run), noteIn],
    ['evidence', (run: string): string => streamOf.evidence(run, 1, 0, 1), rolloutIn],
  ])('equals what SQLite stores, returns and refuses: %s', async (_, streamOfRun, make) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        const stream = streamOfRun(`run${runs++}`);
        const own = new PlannedStream(stream);
        for (const { events: asked, expect: expected } of steps) {
          const events = asked.map(({ index, isOther }) => {
            const event = make(stream, index);
            return isOther ? { ...event, actor: 'human/eve' } : event;
          });
          const sqlite = await outcomeOf(() => ledger.append(stream, events, { expect: expected }));
          expect(await outcomeOf(async () => own.append(events, expected))).toEqual(sqlite);
        }
        expect(own.bodies).toEqual((await collect(ledger.read(stream))).map(({ body }) => body));
      }),
      { numRuns: 60 },
    );
  });
});
