// Summaries of evidence: their content, and their independence of everything else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { Behaviour } from './behaviour.ts';
import { Failures } from './failures.ts';
import { evidenceModules } from './modules.ts';
import type { Seen, Summariser } from './summary.ts';

const seen = fc.record({
  id: fc.uuid(),
  family: fc.constantFrom('3', '8', '10'),
  failureClass: fc.constantFrom(null, 'hole', 'goal-missed', 'swap-conflict'),
  digest: fc.constantFrom('a', 'b', 'c', 'd'),
  holes: fc.nat(9),
  waits: fc.nat(5),
});

function rollouts(of: readonly (typeof seen extends fc.Arbitrary<infer One> ? One : never)[]): Seen[] {
  return of.map(({ id, family, failureClass, digest, holes, waits }, i) => ({
    id,
    family,
    failureClass,
    data: {
      environment: 'lake',
      split: 'probe',
      policy: 'neural',
      outcome: failureClass ?? 'valid',
      sample: i,
      task: { digest: `${family}${digest}`, facts: { holes, needsWait: waits > 2 } },
      metrics: { waits },
    } as Seen['data'],
    failure: null,
  }));
}

const summarisers = (): Summariser[] =>
  Object.values(evidenceModules).map(({ summariser }) => summariser(descriptor, 6));

function summed(all: readonly Seen[]): object[] {
  return summarisers().map((summariser) => {
    for (const one of all) summariser.add(one);
    return summariser.sums();
  });
}

describe('summaries', () => {
  it('do not depend on the order of rollouts, except for contradictory facts of one task', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(seen, { selector: ({ id }) => id, maxLength: 60 }),
        fc.infiniteStream(fc.nat()),
        (all, order) => {
          const seen = rollouts(all).map(withoutWait);
          const lots = seen.map((one) => ({ one, lot: order.next().value as number }));
          const shuffled = lots.toSorted((a, b) => a.lot - b.lot).map(({ one }) => one);
          expect(summed(shuffled)).toEqual(summed(seen));
        },
      ),
    );
  });

  it('have no fact in two modules, and unique evidence ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(seen, { selector: ({ id }) => id, minLength: 1, maxLength: 60 }), (all) => {
        const sums = summed(rollouts(all)) as ReturnType<Summariser['sums']>[];
        const facts = sums.flatMap(({ facts }) => facts);
        const evidenceIds = [...facts, ...sums.flatMap(({ exemplars }) => exemplars)].map(
          ({ evidenceId }) => evidenceId,
        );
        expect(new Set(evidenceIds).size).toBe(evidenceIds.length);
        const said = facts.map(({ family, measure, about }) => JSON.stringify([family, measure, about]));
        expect(new Set(said).size).toBe(said.length);
      }),
    );
  });

  it('show each failure class once before repeating one, the most frequent first', () => {
    const failures = new Failures(descriptor, { exemplars: 5 });
    const add = (count: number, family: '3' | '8', failureClass: string): void => {
      for (let i = 0; i < count; i++) {
        const id = `${family}${failureClass}${i}`;
        for (const one of rollouts([
          { id, family, failureClass: failureClass as 'hole', digest: 'a', holes: 0, waits: 0 },
        ]))
          failures.add(one);
      }
    };
    add(3, '8', 'hole');
    add(7, '3', 'goal-missed');
    add(1, '8', 'swap-conflict');
    const { facts, exemplars } = failures.sums();
    expect(exemplars.map(({ evidenceId, family, class: way }) => [evidenceId, family, way])).toEqual([
      ['F1', '3', 'goal-missed'],
      ['F2', '8', 'hole'],
      ['F3', '8', 'swap-conflict'],
      ['F4', '3', 'goal-missed'],
      ['F5', '8', 'hole'],
    ]);
    expect(facts.map(({ evidenceId, count, of }) => [evidenceId, count, of])).toEqual([
      ['FC3.goal-missed', 7, 7],
      ['FC8.hole', 3, 4],
      ['FC8.swap-conflict', 1, 4],
    ]);
  });
});

const like = (change: Partial<Seen> & { readonly sample?: number; readonly digest?: string }, i: number): Seen => {
  const [made] = rollouts([{ id: `${i}`, family: '8', failureClass: 'hole', digest: 'a', holes: 0, waits: 0 }]);
  const { sample = i, digest = `${i}`, ...rest } = change;
  const one = made as Seen;
  return { ...one, ...rest, data: { ...one.data, sample, task: { digest } } };
};

describe('success rates', () => {
  const rate = (seen: readonly Seen[]) => {
    const behaviour = new Behaviour(descriptor);
    for (const one of seen) behaviour.add(one);
    return behaviour.sums().facts;
  };

  it('have intervals for the number of tasks, however often each was tried', () => {
    const tried = (samples: number): Seen[] =>
      Array.from({ length: 20 * samples }, (_, i) =>
        like({ digest: `task ${i % 20}`, sample: Math.floor(i / 20), failureClass: i % 4 === 0 ? null : 'hole' }, i),
      );
    const [once, number] = rate(tried(1));
    const [thrice, same] = rate(tried(3));
    expect(once).toMatchObject({ evidenceId: 'B8.valid', value: 0.25, count: 5, of: 20 });
    expect(thrice).toMatchObject({ value: 0.25, count: 15, of: 60, low: once?.low, high: once?.high });
    expect([number, same]).toEqual(Array(2).fill({ evidenceId: 'B8.tried', family: '8', measure: 'tried', value: 20 }));
  });
});

describe('failures', () => {
  const failed = (seen: readonly Seen[]) => {
    const failures = new Failures(descriptor, { exemplars: 1 });
    for (const one of seen) failures.add(one);
    return failures.sums();
  };

  it('do not reveal success rates', () => {
    const of = (successes: number) => [
      like({ failureClass: 'hole' }, 1),
      like({ failureClass: 'off-grid' }, 2),
      ...Array.from({ length: successes }, (_, i) => like({ failureClass: null }, 10 + i)),
    ];
    expect(failed(of(9))).toEqual(failed(of(0)));
    expect(failed(of(9)).facts.map(({ value }) => value)).toEqual([0.5, 0.5]);
  });

  it('have at most twelve classes and "other", and truncate long names', () => {
    const words = Array.from({ length: 30 }, (_, i) => `TypeError in line ${i}: ${'of a very long story '.repeat(4)}`);
    const seen = [
      ...words.map((failureClass, i) => like({ failureClass, family: i < 15 ? '3' : '8' }, i)),
      ...[1, 2].map((i) => like({ failureClass: 'hole' }, 100 + i)),
    ];
    const { facts, exemplars } = failed(seen);
    const ways = facts.map(({ about = '' }) => about);
    expect(new Set(ways).size).toBe(13);
    expect(facts.filter(({ about }) => about === 'other').map(({ family, count }) => [family, count])).toEqual([
      ['3', 9],
      ['8', 10],
    ]);
    expect(facts.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(32);
    expect(Math.max(...ways.map((way) => way.length))).toBe(40);
    expect(ways).toContain('hole');
    expect(exemplars[0]?.class).toBe('hole');
    expect(failed(seen.toReversed())).toEqual(failed(seen));
  });
});

function withoutWait(one: Seen): Seen {
  return { ...one, data: { ...one.data, task: { ...one.data.task, facts: { holes: 2 } } } };
}
