import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../schemas/testing/tries.ts';
import { Random } from '../../src/lab/random.ts';
import { failureClasses, judge } from './judge.ts';
import { arriving, instances, planned } from './testing/arbitraries.ts';
import { pathsOf } from './testing/forms.ts';
import { naiveJudge } from './testing/naive-judge.ts';
import { randomTask } from './testing/random-tasks.ts';

describe('judging', () => {
  const crowded = { largest: 4, agents: 6 };
  const asked = fc.oneof(arriving(crowded), planned(crowded), arriving(crowded, 30), planned({ largest: 3 }, 30));

  it('agrees with a naive implementation of the rules', () => {
    fc.assert(
      fc.property(asked, fc.option(fc.nat(6)), fc.boolean(), ({ instance, plan }, texts, truncated) => {
        const given = plan.slice(0, texts ?? plan.length);
        expect(judge(instance, given, truncated)).toEqual(naiveJudge(instance, given, truncated));
      }),
      { numRuns: tries(3000) },
    );
  });

  it('agrees for many random plans, with every failure class and valid plans', () => {
    const random = new Random('judge', 'plans');
    const outcomes = new Map<string, number>();
    const listed = new Map<string, number>();
    const count = (tally: Map<string, number>, name: string): unknown => tally.set(name, (tally.get(name) ?? 0) + 1);
    for (let i = 0; i < 10_000; i++) {
      const { instance, plan, truncated } = randomTask(random);
      const judgement = judge(instance, plan, truncated);
      expect(judgement).toEqual(naiveJudge(instance, plan, truncated));
      count(outcomes, judgement.outcome);
      for (const failure of judgement.failures) count(listed, failure.class);
    }
    const readable = failureClasses.filter((name) => name !== 'parse-error');
    for (const name of readable) expect([name, (listed.get(name) ?? 0) > 100]).toEqual([name, true]);
    expect(outcomes.get('valid')).toBeGreaterThan(100);
  });

  it('does not depend on the form or case of the plan, or on waits on goals', () => {
    fc.assert(
      fc.property(arriving(crowded), fc.array(fc.nat(40)), ({ instance, plan }, waits) => {
        const judgement = judge(instance, plan);
        expect(
          judge(
            instance,
            plan.map((moves) => moves.toLowerCase()),
          ),
        ).toEqual(judgement);
        if (judgement.outcome !== 'valid') return;
        expect(judge(instance, pathsOf(instance, plan))).toEqual(judgement);
        expect(
          judge(
            instance,
            plan.map((moves, i) => moves + 'W'.repeat(waits[i] ?? 0)),
          ),
        ).toEqual(judgement);
      }),
    );
  });

  it('never throws', () => {
    const answers = fc.oneof(fc.anything(), fc.array(fc.oneof(fc.string(), fc.anything()), { maxLength: 3 }));
    fc.assert(
      fc.property(instances(), answers, fc.boolean(), (instance, answer, truncated) => {
        const { outcome, failures, cost } = judge(instance, answer, truncated);
        expect(outcome).toBe(failures[0]?.class ?? 'valid');
        expect(cost === null).toBe(outcome !== 'valid');
      }),
    );
  });
});
