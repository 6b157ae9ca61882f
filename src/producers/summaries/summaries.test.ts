// Summaries of evidence: what they say of rollouts, and that nothing else has a part in it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descriptor } from '../../lab/lake/descriptor.ts';
import { Behaviour } from './behaviour.ts';
import { Failures } from './failures.ts';
import { Stats } from './stats.ts';
import type { Seen, Summariser } from './summary.ts';

const seen = fc.record({
  id: fc.uuid(),
  group: fc.constantFrom('3', '8', '10'),
  failureClass: fc.constantFrom(null, 'hole', 'goal-missed', 'swap-conflict'),
  digest: fc.constantFrom('a', 'b', 'c', 'd'),
  holes: fc.nat(9),
  waits: fc.nat(5),
});

function rollouts(of: readonly (typeof seen extends fc.Arbitrary<infer One> ? One : never)[]): Seen[] {
  return of.map(({ id, group, failureClass, digest, holes, waits }, i) => ({
    id,
    group,
    failureClass,
    data: {
      environment: 'lake',
      split: 'probe',
      policy: 'neural',
      outcome: failureClass ?? 'valid',
      sample: i,
      instance: { digest: `${group}${digest}`, facts: { holes, needsWait: waits > 2 } },
      metrics: { waits },
    } as Seen['data'],
    failure: null,
  }));
}

const summarisers = (): Summariser[] => [
  new Behaviour(descriptor),
  new Stats(descriptor),
  new Failures(descriptor, { exemplars: 6 }),
];

function summed(all: readonly Seen[]): object[] {
  return summarisers().map((summariser) => {
    for (const one of all) summariser.add(one);
    return summariser.sums();
  });
}

describe('summaries', () => {
  it('do not depend on the order of rollouts, save for what a generator tells twice of one task', () => {
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

  it('no fact stands in two modules, and labels are all different', () => {
    fc.assert(
      fc.property(fc.uniqueArray(seen, { selector: ({ id }) => id, minLength: 1, maxLength: 60 }), (all) => {
        const sums = summed(rollouts(all)) as ReturnType<Summariser['sums']>[];
        const facts = sums.flatMap(({ facts }) => facts);
        const labels = [...facts, ...sums.flatMap(({ exemplars }) => exemplars)].map(({ label }) => label);
        expect(new Set(labels).size).toBe(labels.length);
        const said = facts.map(({ group, measure, about }) => JSON.stringify([group, measure, about]));
        expect(new Set(said).size).toBe(said.length);
      }),
    );
  });

  it('every way to fail is shown before any is shown twice, the most frequent first', () => {
    const failures = new Failures(descriptor, { exemplars: 5 });
    const add = (count: number, group: '3' | '8', failureClass: string): void => {
      for (let i = 0; i < count; i++) {
        const id = `${group}${failureClass}${i}`;
        for (const one of rollouts([
          { id, group, failureClass: failureClass as 'hole', digest: 'a', holes: 0, waits: 0 },
        ]))
          failures.add(one);
      }
    };
    add(3, '8', 'hole');
    add(7, '3', 'goal-missed');
    add(1, '8', 'swap-conflict');
    const { facts, exemplars } = failures.sums();
    expect(exemplars.map(({ label, group, class: way }) => [label, group, way])).toEqual([
      ['F1', '3', 'goal-missed'],
      ['F2', '8', 'hole'],
      ['F3', '8', 'swap-conflict'],
      ['F4', '3', 'goal-missed'],
      ['F5', '8', 'hole'],
    ]);
    expect(facts.map(({ label, count, of }) => [label, count, of])).toEqual([
      ['FC3.goal-missed', 7, 7],
      ['FC8.hole', 3, 4],
      ['FC8.swap-conflict', 1, 4],
    ]);
  });
});

function withoutWait(one: Seen): Seen {
  return { ...one, data: { ...one.data, instance: { ...one.data.instance, facts: { holes: 2 } } } };
}
