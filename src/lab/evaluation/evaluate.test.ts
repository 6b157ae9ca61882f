import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { greedyPolicy, optimalPolicy, randomPolicy } from '../../../testbed/scripted.ts';
import { hasPython, openArithmetic, rightAnswer } from '../environments/command/testing/arithmetic.ts';
import { collected } from '../environments/contract/tasks.ts';
import {
  digestOf,
  type Environment,
  isSpoilt,
  type Task,
  taskDigest,
  UnknownSuite,
  type Verdict,
} from '../environments/environment.ts';
import { issuesOf } from '../policies/contract/policy-contract.ts';
import type { Policy } from '../policies/policy.ts';
import { wilson } from '../statistics/distributions.ts';
import { type EvaluateRequest, type Evaluation, evaluate } from './evaluate.ts';
import { EndedEarly, type Evaluated, OutOfOrder } from './judged.ts';
import { coin, environmentThat, heads, policyThat, tails } from './testing/stubs.ts';

interface Whole {
  readonly rollouts: readonly Evaluated[];
  readonly evaluation: Evaluation;
}

async function whole(environment: Environment, policy: Policy, request: EvaluateRequest): Promise<Whole> {
  const evaluation = evaluate(environment, policy, request);
  const rollouts: Evaluated[] = [];
  for (;;) {
    const next = await evaluation.next();
    if (next.done === true) return { rollouts, evaluation: next.value };
    rollouts.push(next.value);
  }
}

/** A recorded rate of tasks with several tries each. */
function rate(measure: string, family: string | null, count: number, of: number, samples = 1) {
  return { family, measure, value: count / of, count, of, ...wilson(count / samples, of / samples) };
}

const measured = ({ results }: Evaluation, measure: string, family: string | null = null) =>
  results.find((one) => one.measure === measure && one.family === family);

const pool = (tasks: readonly Task[]) => ({ name: 'pool', split: 'probe' as const, tasks });

describe('an evaluation on the lake', () => {
  const suites = ['agents-2-wait-50-of-6', 'agents-3-wait-25-of-6'] as const;
  const lake = openLake();
  const on = (policy: Policy, change = {}) => whole(lake, policy, { suites, seed: '7', ...change });

  it('ranks random below greedy below optimal', async () => {
    const [random, greedy, optimal] = await Promise.all(
      [randomPolicy(), greedyPolicy(), optimalPolicy()].map((one) => on(one)),
    );
    const valid = (one: Whole | undefined) => measured((one as Whole).evaluation, 'valid')?.value as number;
    expect(valid(random)).toBeLessThan(0.2);
    expect(valid(greedy)).toBeGreaterThan(valid(random));
    expect(valid(greedy)).toBeLessThan(1);
    for (const measure of ['valid', 'optimal'])
      expect(measured((optimal as Whole).evaluation, measure)).toMatchObject({ value: 1 });
  });

  it('records rates over all suites, by size, and by size, agents and wait', async () => {
    const { rollouts, evaluation } = await on(greedyPolicy(), { samples: 2 });
    const judged = rollouts.map(({ planned: { task }, verdict }) => ({
      task,
      verdict: verdict as Exclude<Verdict, { spoilt: unknown }>,
    }));
    const rates = (some: typeof judged) => [
      ['valid', some.filter(({ verdict }) => verdict.success).length] as const,
      ['optimal', some.filter(({ verdict }) => verdict.metrics['optimal'] === 1).length] as const,
    ];
    const sizes = lake.descriptor.families.map(({ family }) => family);
    expect(evaluation.results).toEqual(
      [null, ...sizes].flatMap((family) => {
        const some = judged.filter(({ task }) => family === null || task.family === family);
        return rates(some).map(([measure, count]) => rate(measure, family, count, some.length, 2));
      }),
    );
    const cells = [
      { agents: 2, wait: 0.5 },
      { agents: 3, wait: 0.25 },
    ].flatMap((conditions) =>
      sizes.map((family) => {
        const some = judged.filter(({ task }) => task.family === family && task.facts['agents'] === conditions.agents);
        const results = rates(some).map(([measure, count]) => {
          const { family: _, ...result } = rate(measure, null, count, some.length, 2);
          return result;
        });
        return { family, conditions, rollouts: some.length, results };
      }),
    );
    expect(evaluation.cells).toEqual(cells);
    const failed = new Map<string, number>();
    for (const { task, verdict } of judged) {
      const [first] = verdict.failures;
      const way = JSON.stringify([task.family, first?.class]);
      if (first !== undefined) failed.set(way, (failed.get(way) ?? 0) + 1);
    }
    const ways = evaluation.failures?.map((one) => [JSON.stringify([one.family, one.class]), one.count] as const);
    expect(new Map(ways)).toEqual(failed);
    expect(evaluation.failures?.length).toBe(failed.size);
  });

  it('records the suite in a comparable form', async () => {
    const { rollouts, evaluation } = await on(greedyPolicy(), { greedy: true });
    const tasks = (await Promise.all(suites.map((name) => collected(lake.suite(name))))).flatMap((one) => one.tasks);
    expect(rollouts.map(({ planned }) => planned.task)).toEqual(tasks);
    expect(evaluation).toMatchObject({
      suite: {
        name: suites.join('+'),
        digest: digestOf(tasks.map(taskDigest)),
        tasks: tasks.length,
        parameters: { suites },
      },
      split: 'test',
      policy: { name: 'greedy' },
      checkpoint: null,
      seed: '7',
      samples: 1,
      decoding: { greedy: true },
      rollouts: tasks.length,
      interval: { method: 'wilson', level: 0.95 },
    });
    expect(issuesOf('EvaluationRecorded', evaluation)).toEqual([]);
  });

  it('records a listed suite with its parameters', async () => {
    const listed = lake.suites.find(({ name }) => name === 'agents-5-wait-25');
    const few = { ...lake, suite: () => lake.suite('agents-5-wait-25-of-1') };
    const progress: unknown[] = [];
    const { evaluation } = await whole(few, randomPolicy(), {
      suites: ['agents-5-wait-25'],
      seed: 'not a number',
      samples: 2,
      onProgress: (one) => progress.push(one),
    });
    expect(evaluation.suite).toMatchObject({ name: 'agents-5-wait-25', parameters: listed?.parameters });
    expect(evaluation.cells?.[0]?.conditions).toEqual({ agents: 5, wait: 0.25 });
    expect(evaluation.seed).toBe(undefined);
    expect(progress[0]).toEqual({ rollouts: 1, of: 2 * (listed?.tasks ?? 0) });
    expect(progress.at(-1)).toMatchObject({ rollouts: evaluation.rollouts });
  });

  it('refuses an unknown suite before any try', async () => {
    const names = ['agents-2-wait-50-of-6', 'agents-2-wait-51'] as const;
    let tried = 0;
    const policy = policyThat(() => ({ answer: tried++ }));
    await expect(whole(lake, policy, { suites: names, seed: 'a' })).rejects.toThrow(UnknownSuite);
    expect(tried).toBe(0);
  });
});

describe.skipIf(!hasPython)('an evaluation on a program; skipped without Python', () => {
  it('counts right answers as valid, and records no optimal rate', async () => {
    const arithmetic = await openArithmetic();
    const { tasks } = await collected(
      arithmetic.generate({ configuration: arithmetic.start, split: 'validation', count: 40, seed: 'a' }),
    );
    const right = tasks.filter((_, i) => i % 4 !== 0);
    const policy = policyThat((task) => ({ answer: right.includes(task) ? rightAnswer(task) : 'no idea' }));
    const { evaluation } = await whole(arithmetic, policy, {
      tasks: { ...pool(tasks), split: 'validation' },
      seed: 'a',
    });
    expect(evaluation.results.filter(({ family }) => family === null)).toEqual([
      rate('valid', null, right.length, tasks.length),
    ]);
    expect(evaluation).toMatchObject({ split: 'validation', suite: { name: 'pool', tasks: tasks.length } });
    expect(issuesOf('EvaluationRecorded', evaluation)).toEqual([]);
    await arithmetic.close();
  });
});

describe('an evaluation', () => {
  const families = ['gold', 'silver', 'copper'];
  const fate = fc.record({
    family: fc.constantFrom(...families),
    end: fc.constantFrom('heads', 'best', 'tails', 'bent', 'undecided', 'fault', 'spoilt'),
    side: fc.integer({ min: 0, max: 1 }),
    tokens: fc.option(fc.nat(1000), { nil: null }),
  });
  const fault = { kind: 'timeout', message: 'the endpoint did not answer' };
  const verdicts: Record<string, Verdict> = {
    heads: { ...heads, metrics: { optimal: 0 } },
    best: { ...heads, metrics: { optimal: 1 } },
    undecided: { ...heads, metrics: { optimal: { value: null, reason: 'unknown' } } },
    tails: tails(),
    bent: tails('bent'),
    spoilt: { spoilt: fault },
  };

  it('counts faults separately, with intervals for rates, and tokens and costs if available', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 40 }), async (fates) => {
        const tasks = fates.map(({ family, side }, i) => coin(i, { family, conditions: { side } }));
        const fateOf = ({ instance }: Task) => fates[instance['number'] as number] as (typeof fates)[number];
        const policy = policyThat((task) => {
          const { end, tokens } = fateOf(task);
          const usage = tokens === null ? {} : { usage: { input: tokens, output: 1 } };
          const cost = tokens === null ? {} : { cost: { currency: 'USD', total: tokens } };
          const spoken = {
            key: '',
            model: { name: 'any' },
            parameters: {},
            context: '',
            sample: 0,
            finishReason: 'stop',
            prompt: '',
            completion: '',
            ...usage,
            ...cost,
          };
          return end === 'fault' ? { answer: null, fault } : { answer: 1, spoken };
        });
        const environment = environmentThat(({ task }) => verdicts[fateOf(task).end] as Verdict);
        const { rollouts, evaluation } = await whole(environment, policy, { tasks: pool(tasks), seed: 'a' });
        expect(rollouts.map(({ planned }) => planned.task)).toEqual(tasks);
        const faulty = rollouts.filter(({ verdict }) => isSpoilt(verdict)).length;
        const ends = (...some: string[]) => fates.filter(({ end }) => some.includes(end)).length;
        expect(faulty).toBe(ends('fault', 'spoilt'));
        const judged = fates.length - faulty;
        const expected = [];
        if (judged > 0) expected.push(rate('valid', null, ends('heads', 'best', 'undecided'), judged));
        if (ends('heads', 'best', 'tails', 'bent') > 0 && ends('heads', 'best', 'undecided') > 0)
          expected.push(rate('optimal', null, ends('best'), judged - ends('undecided')));
        if (faulty > 0) expected.push(rate('fault', null, faulty, fates.length));
        const spoken = fates.filter(({ end, tokens }) => end !== 'fault' && tokens !== null);
        const total = spoken.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
        const sum = (measure: string, value: number) => ({
          family: null,
          measure,
          value,
          count: spoken.length,
          of: fates.length,
        });
        if (spoken.length > 0)
          expected.push(sum('tokens/input', total), sum('tokens/output', spoken.length), sum('cost/USD', total));
        const pooled = evaluation.results.filter(({ family, value }) => family === null && typeof value === 'number');
        expect(pooled).toEqual(expected);
        expect(evaluation.failures?.reduce((all, { count }) => all + count, 0)).toBe(ends('tails', 'bent'));
        expect(evaluation.cells?.reduce((all, { rollouts }) => all + rollouts, 0) ?? 0).toBe(fates.length);
        expect(evaluation.rollouts).toBe(fates.length);
        expect(evaluation.suite.digest).toBe(digestOf(tasks.map(taskDigest)));
        expect(issuesOf('EvaluationRecorded', evaluation)).toEqual([]);
      }),
    );
  });

  it('never judges a try with a fault', async () => {
    const environment = environmentThat(() => {
      throw new Error('judged');
    });
    const policy = policyThat(() => ({ answer: null, fault }));
    const { rollouts, evaluation } = await whole(environment, policy, { tasks: pool([coin(1)]), seed: 'a' });
    expect(rollouts[0]?.verdict).toEqual({ spoilt: fault });
    expect(measured(evaluation, 'valid')).toMatchObject({ value: { value: null }, count: 0, of: 0 });
  });

  it('has no narrower intervals for repeated tries of a task', async () => {
    const policy = policyThat((_, sample) => (sample === 3 ? { answer: null, fault } : { answer: 1 }));
    const environment = environmentThat(({ task }) => (task.id === 'coin-1' ? tails() : heads));
    const tasks = pool([1, 2, 3, 4, 5].map((number) => coin(number)));
    const { evaluation } = await whole(environment, policy, { tasks, samples: 4, seed: 'a' });
    expect(measured(evaluation, 'valid')).toMatchObject({ count: 12, of: 15 });
    expect(measured(evaluation, 'valid')?.low).toBeCloseTo(wilson(4, 5).low, 12);
    expect(measured(evaluation, 'valid')?.high).toBeCloseTo(wilson(4, 5).high, 12);
    expect(measured(evaluation, 'fault')?.low).toBeCloseTo(wilson(1.25, 5).low, 12);
  });

  it('is not recorded as greedy if the policy always samples', async () => {
    const drawing = { ...policyThat(() => ({ answer: 1 })), canBeGreedy: false };
    const environment = environmentThat(() => heads);
    const { evaluation } = await whole(environment, drawing, { tasks: pool([coin(1)]), greedy: true, seed: 'a' });
    expect(evaluation.decoding).toEqual({ greedy: false });
  });

  it('has no cells if nothing distinguishes cells of a family', async () => {
    const { evaluation } = await whole(
      environmentThat(() => heads),
      policyThat(() => ({ answer: 1 })),
      { tasks: pool([coin(1)]), seed: 'a' },
    );
    expect(evaluation.cells).toBe(undefined);
  });

  it('fails if the policy mixes up tasks', async () => {
    const honest = policyThat(() => ({ answer: 1 }));
    const mixed: Policy = {
      ...honest,
      async *plan(request) {
        for await (const planned of honest.plan(request)) yield { ...planned, task: coin(7) };
      },
    };
    await expect(
      whole(
        environmentThat(() => heads),
        mixed,
        { tasks: pool([coin(1)]), seed: 'a' },
      ),
    ).rejects.toThrow(OutOfOrder);
  });

  it('fails if plans or verdicts end before the tasks', async () => {
    const honest = policyThat(() => ({ answer: 1 }));
    const tired: Policy = {
      ...honest,
      async *plan(request) {
        for await (const planned of honest.plan(request)) {
          if (planned.task.id === 'coin-4') return;
          yield planned;
        }
      },
    };
    const fair = environmentThat(() => heads);
    const lazy = {
      ...fair,
      async *judge(...asked: Parameters<typeof fair.judge>) {
        let judged = 0;
        for await (const verdict of fair.judge(...asked)) {
          if (++judged > 3) return;
          yield verdict;
        }
      },
    };
    const tasks = pool([1, 2, 3, 4, 5, 6].map((number) => coin(number)));
    await expect(whole(fair, tired, { tasks, seed: 'a' })).rejects.toThrow(EndedEarly);
    await expect(whole(lazy, honest, { tasks, seed: 'a' })).rejects.toThrow(EndedEarly);
  });
});

it('an evaluation lists families outside the descriptor last', async () => {
  const tasks = ['bronze', 'silver'].map((family, i) => coin(i, { family }));
  const { evaluation } = await whole(
    environmentThat(() => heads),
    policyThat(() => ({ answer: 1 })),
    { tasks: pool(tasks), seed: '1' },
  );
  expect(evaluation.results.map(({ family }) => family)).toEqual([null, 'silver', 'bronze']);
});
