import { describe, expect, it } from 'vitest';
import { compare as compareOutput } from '../../../schemas/compare-output.ts';
import { mcnemar } from '../../lab/statistics/significance.ts';
import type { Recording } from '../history/testing/recording.ts';
import { ledgerWith, made, notesIn, only } from './testing/comparing.ts';
import { withRollouts } from './testing/tries.ts';

describe('two runs with recorded rollouts', () => {
  it('are compared task by task', async () => {
    const results = { one: [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], two: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] };
    const recordings = Object.entries(results).map(([name, outcomes]) => withRollouts(made(name), name, 2, outcomes));
    const compare = await ledgerWith(...recordings);
    expect(only(await compare(['one', 'two']))).toMatchObject({
      ...{ pairs: 'tasks', units: 10, better: 6, worse: 1, difference: expect.closeTo(0.5, 12) },
      ...{ p: expect.closeTo(mcnemar(6, 1), 12), method: expect.stringContaining('McNemar') },
    });
  });

  it('have a note if the approximate interval excludes zero but the exact test is not significant', async () => {
    const noteOn = async (one: readonly number[], two: readonly number[]): Promise<string> => {
      const compare = await ledgerWith(
        withRollouts(made('one'), 'one', 2, one),
        withRollouts(made('two'), 'two', 2, two),
      );
      return notesIn(await compare(['one', 'two']));
    };
    const lost = Array<number>(20).fill(0);
    expect(await noteOn(lost, lost.with(0, 1).with(1, 1).with(2, 1).with(3, 1).with(4, 1))).toContain('p is exact');
    expect(await noteOn(lost, lost.with(0, 1))).not.toContain('p is exact');
  });

  it('are compared task by task on one of several suites, each in its own stream', async () => {
    const results = { one: [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], two: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] };
    const recordings = Object.entries(results).map(([name, outcomes]) => {
      const recording = made(name);
      const results = [{ family: null, measure: 'valid', value: 0.5, count: 5, of: 10 }];
      for (const suite of ['easy-3', 'hard-3']) {
        recording.add('EvaluationRecorded', 2, { suite: { name: suite }, split: 'test', rollouts: 10, results });
      }
      withRollouts(recording, name, 2, outcomes, { split: 'test', part: 'hard_3', tasks: 'hard' });
      withRollouts(recording, name, 2, outcomes.toReversed(), { split: 'test', part: 'easy_3', tasks: 'easy' });
      return withRollouts(recording, name, 2, Array(10).fill(1), { split: 'test', part: 'training' });
    });
    const compare = await ledgerWith(...recordings);
    expect(only(await compare(['one', 'two'], { suite: 'hard-3' }))).toMatchObject({
      ...{ pairs: 'tasks', units: 10, better: 6, worse: 1, difference: expect.closeTo(0.5, 12) },
    });
  });

  it('can be compared on the probe split, with several rollouts per task', async () => {
    const tries = (shares: readonly number[]): number[] =>
      shares.flatMap((wins) => [Number(wins > 0), Number(wins > 1)]);
    const one = withRollouts(made('one'), 'one', 2, tries([0, 0, 0, 1, 0, 1, 0]), { split: 'probe', samples: 2 });
    const two = withRollouts(made('two'), 'two', 2, tries([2, 1, 2, 2, 1, 2, 2]), { split: 'probe', samples: 2 });
    const compare = await ledgerWith(one, two);
    const result = await compare(['one', 'two'], { suite: 'probe' });
    expect(only(result)).toMatchObject({
      pairs: 'tasks',
      units: 7,
      better: 7,
      worse: 0,
      p: 2 / 128,
      verdict: 'better',
    });
    expect(result.runs.map(({ rate }) => rate.of)).toEqual([14, 14]);
    expect(await compare(['one', 'two'], { suite: 'probe' })).toEqual(result);
  });

  it('are not equivalent merely because a few tasks had equal results', async () => {
    const [one, two] = ['one', 'two'].map((name) =>
      withRollouts(made(name), name, 2, [1, 1, 0, 0, 1, 0], { split: 'probe', samples: 2 }),
    ) as [Recording, Recording];
    const compare = await ledgerWith(one, two);
    const result = only(await compare(['one', 'two'], { suite: 'probe', margin: 0.1 }));
    expect(result).toMatchObject({ units: 3, difference: 0, equivalence: { holds: false } });
    expect([result.low, result.high]).toEqual([
      expect.closeTo(-(result.high ?? 0), 12),
      expect.toSatisfy((high) => high > 0.1),
    ]);
    expect(result.says).toBe(
      'inconclusive: at least 6 tasks are needed, not shown to be within 10 points, which takes at least 50 tasks',
    );
  });

  it('are not called equivalent if there are fewer than 50', async () => {
    const compared = async (tasks: number) => {
      const outcomes = Array.from({ length: tasks }, (_, i) => i % 2);
      const [one, two] = ['one', 'two'].map((name) => withRollouts(made(name), name, 2, outcomes, { split: 'probe' }));
      const compare = await ledgerWith(one as Recording, two as Recording);
      return await compare(['one', 'two'], { suite: 'probe', margin: 0.2 });
    };
    const few = await compared(49);
    expect(only(few)).toMatchObject({
      says: 'inconclusive, not shown to be within 20 points, which takes at least 50 tasks',
      equivalence: { holds: false, low: expect.toSatisfy((bound: number) => bound > -0.2) },
    });
    const note =
      'By fewer than 50 tasks nothing is called equivalent: with so few, runs that differ by the margin would pass too often.';
    expect(notesIn(few)).toContain(note);
    const enough = await compared(50);
    expect(only(enough)).toMatchObject({ says: 'equivalent within 20 points', equivalence: { holds: true } });
    expect(notesIn(enough)).not.toContain(note);
  });

  it('are inconclusive if many tasks are slightly better and one is far worse', async () => {
    const shares = { one: Array(12).fill(0.5), two: [...Array(11).fill(0.51), 0] };
    const recordings = Object.entries(shares).map(([name, outcomes]) => {
      const recording = made(name);
      const results = [{ family: null, measure: 'progress', value: 0.5, count: 6, of: 12 }];
      recording.add('EvaluationRecorded', 2, {
        suite: { name: 'validation' },
        split: 'validation',
        rollouts: 12,
        results,
      });
      return withRollouts(recording, name, 2, outcomes, { measured: 'progress' });
    });
    const compare = await ledgerWith(...recordings);
    const result = only(await compare(['one', 'two'], { measure: 'progress' }));
    expect(result).toMatchObject({ pairs: 'tasks', units: 12, better: 11, worse: 1, verdict: 'inconclusive' });
    expect(result.difference).toBeLessThan(0);
  });

  it('are compared without rollouts that errored', async () => {
    const compare = await ledgerWith(
      withRollouts(made('one'), 'one', 2, [1, 0, 0, 1], { split: 'probe' }),
      withRollouts(made('two'), 'two', 2, [1, 0, 0, 1], { split: 'probe', spoilt: 1 }),
    );
    const result = await compare(['one', 'two'], { suite: 'probe' });
    expect(only(result)).toMatchObject({ units: 3, better: 0, worse: 0 });
    expect(result.runs.map(({ rate }) => rate.of)).toEqual([4, 3]);
  });

  it('make no pairs if they have no task in common', async () => {
    const one = withRollouts(made('one'), 'one', 2, [1, 0], { split: 'probe' });
    const two = withRollouts(made('two'), 'two', 2, [1, 0], { split: 'probe', tasks: 'others' });
    const compare = await ledgerWith(one, two);
    const result = only(await compare(['one', 'two'], { suite: 'probe' }));
    expect(result).toMatchObject({ pairs: null, verdict: 'unknown', says: 'no task was tried by both' });
  });
});

describe('arms of several seeds', () => {
  const better = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0];
  const worse = [1, 1, 0, 0, 0, 0, 0, 0, 0, 1];
  const tried = (name: string, seed: number, engineer: string, outcomes: readonly number[]): Recording =>
    withRollouts(made(name, { seed, engineer }), name, 2, outcomes);

  it('are compared seed by seed, and task by task within each seed', async () => {
    const compare = await ledgerWith(
      tried('rules-1', 1, 'rules', worse),
      tried('gpt-1', 1, 'gpt', better),
      tried('rules-2', 2, 'rules', worse),
      tried('gpt-2', 2, 'gpt', worse),
    );
    const [set] = compareOutput.parse(await compare(['rules-1', 'gpt-1', 'rules-2', 'gpt-2'])).sets;
    expect(set).toMatchObject({ unit: 'seed', differences: [{ pairs: 'seeds', units: 2 }] });
    const alike = { of: 'gpt', against: 'rules', tasks: 10 };
    expect(set?.tasks).toEqual([
      expect.objectContaining({
        ...{ ...alike, seed: '1', better: 6, worse: 1, difference: expect.closeTo(0.5, 12) },
        p: expect.closeTo(mcnemar(6, 1), 12),
      }),
      expect.objectContaining({ ...alike, seed: '2', better: 0, worse: 0, difference: 0, p: 1 }),
    ]);
  });

  it('are not compared by tasks without rollouts of every run, nor are single runs a second time', async () => {
    const compare = await ledgerWith(
      tried('rules-1', 1, 'rules', worse),
      tried('gpt-1', 1, 'gpt', better),
      made('rules-2', { seed: 2, engineer: 'rules' }),
      made('gpt-2', { seed: 2, engineer: 'gpt' }),
    );
    const all = await compare(['rules-1', 'gpt-1', 'rules-2', 'gpt-2']);
    expect(all.sets.map(({ unit, tasks }) => [unit, tasks])).toEqual([['seed', []]]);
    const two = await compare(['rules-1', 'gpt-1']);
    expect(two.sets.map(({ unit, tasks }) => [unit, tasks])).toEqual([['run', []]]);
  });
});
