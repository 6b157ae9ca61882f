import { describe, expect, it } from 'vitest';
import type { Compared } from '../../../schemas/compare-output.ts';
import { stratified } from '../../lab/statistics/pairs.ts';
import { evaluation, Recording, wholeRun } from '../history/testing/recording.ts';
import { high, ledgerWith, low, made, notesIn, only, reference } from './testing/comparing.ts';
import { evenlyValid, forkOf, startedIn } from './testing/sweep.ts';

describe('two runs', () => {
  it('are compared family by family of the same suite, with the first as the baseline', async () => {
    const compare = await ledgerWith(made('one'), made('two', { valid: [low, { 3: 90, 4: 70, 5: 60 }] }));
    const strata = [90, 70, 60].map((count) => ({ one: { count, of: 100 }, other: { count: 70, of: 100 } }));
    const expected = stratified(strata);
    const result = await compare(['one', 'two']);
    expect(only(result)).toMatchObject({
      ...{ of: 'two', against: 'one', pairs: 'families', units: 3, better: 1, worse: 1, verdict: 'inconclusive' },
      ...{
        difference: expected?.value,
        low: expected?.low,
        high: expected?.high,
        p: expected?.p,
        adjusted: expected?.p,
      },
      ...{ says: 'inconclusive' },
    });
    expect(result.sets[0]).toMatchObject({
      stage: 2,
      unit: 'run',
      suite: { suite: 'validation', split: 'validation' },
    });
    expect(only(result).families.map(({ family, difference }) => [family, Number(difference?.toFixed(2))])).toEqual([
      ['3', 0.2],
      ['4', 0],
      ['5', -0.1],
    ]);
    expect(only(await compare(['one', 'two'], { against: reference('two') })).difference).toBeCloseTo(
      -(expected?.value ?? 0),
      12,
    );
  });

  it('that differ significantly are better or worse by points, with a note that settings are not compared', async () => {
    const compare = await ledgerWith(made('one'), made('two', { valid: [low, evenlyValid(85)], engineer: 'gpt' }));
    const result = await compare(['one', 'two']);
    expect(only(result)).toMatchObject({ verdict: 'better', says: 'better by 15 points' });
    expect(only(await compare(['two', 'one']))).toMatchObject({ verdict: 'worse', says: 'worse by 15 points' });
    expect(notesIn(result)).toContain('This compares two runs, not their settings');
  });

  it('are equivalent only if a margin is given and the difference is shown to be within it', async () => {
    const compare = await ledgerWith(made('one'), made('two', { engineer: 'gpt' }));
    expect(only(await compare(['one', 'two']))).toMatchObject({ says: 'inconclusive', equivalence: null });
    expect(only(await compare(['one', 'two'], { margin: 0.15 }))).toMatchObject({
      says: 'equivalent within 15 points',
      equivalence: { margin: 0.15, holds: true, level: 0.9 },
    });
    expect(only(await compare(['one', 'two'], { margin: 0.02 }))).toMatchObject({
      says: 'inconclusive, not shown to be within 2 points',
      equivalence: { holds: false },
    });
  });

  it('that differ by more than the margin are not equivalent, whichever is better', async () => {
    const compare = await ledgerWith(made('one'), made('two', { valid: [low, evenlyValid(85)], engineer: 'gpt' }));
    for (const sides of [
      ['one', 'two'],
      ['two', 'one'],
    ])
      expect(only(await compare(sides, { margin: 0.05 })).equivalence).toMatchObject({ holds: false });
  });

  it('without counts have no interval, of which nothing is said', async () => {
    const uncounted = (name: string, value: number): Recording => {
      const recording = new Recording(name);
      recording.add('RunStarted', null, { ...startedIn(made(name)) });
      recording.add('StageStarted', 1, {});
      const { results: _, ...data } = evaluation('validation', 'validation', evenlyValid(60));
      recording.add('EvaluationRecorded', 1, { ...data, results: [{ family: null, measure: 'valid', value }] });
      recording.add('StageCompleted', 1, {});
      return recording;
    };
    const compare = await ledgerWith(uncounted('one', 0.5), uncounted('two', 0.9));
    const result = await compare(['one', 'two']);
    expect(only(result)).toMatchObject({ verdict: 'unknown', low: null, p: null });
    expect(notesIn(result)).not.toContain('intervals');
  });

  it('with several rollouts per task count tasks, not rollouts', async () => {
    const sampled = (name: string, valid: number): Recording => {
      const recording = new Recording(name);
      recording.add('RunStarted', null, { ...startedIn(made(name)) });
      recording.add('StageStarted', 1, {});
      const data = evaluation('validation', 'validation', evenlyValid(valid));
      recording.add('EvaluationRecorded', 1, { ...data, samples: 4 });
      recording.add('StageCompleted', 1, {});
      return recording;
    };
    const compare = await ledgerWith(sampled('one', 60), sampled('two', 72));
    const strata = [3, 4, 5].map(() => ({ one: { count: 18, of: 25 }, other: { count: 15, of: 25 } }));
    expect(only(await compare(['one', 'two']))).toMatchObject({
      p: expect.closeTo(stratified(strata)?.p ?? 0, 12),
      verdict: 'inconclusive',
    });
  });
});

describe('the compared stage', () => {
  it('is the last that all runs have completed, and a note names the run that is behind', async () => {
    const compare = await ledgerWith(
      made('one'),
      made('two', { valid: [low, high, high] }),
      made('late', { isOver: false }),
    );
    const result = await compare(['one', 'two', 'late']);
    expect(result.runs.map(({ stage }) => stage)).toEqual([1, 1, 1]);
    expect(result.sets[0]?.stage).toBe(1);
    expect(notesIn(result)).toContain('Compared after stage 1, the last complete stage of late');
    expect(notesIn(result)).toContain('the others have completed stage 2');
    expect((await compare(['one', 'two'])).sets[0]?.stage).toBe(2);
  });

  it('can be named for each run, even two stages of one run', async () => {
    const compare = await ledgerWith(made('one'), made('two'));
    const result = await compare(['one@1', 'one@2']);
    expect(only(result)).toMatchObject({ of: 'one@2', against: 'one@1', difference: expect.closeTo(0.2, 12) });
    expect(notesIn(result)).toContain('Different stages: one@1: stage 1, one@2: stage 2.');
    expect((await compare(['one@1', 'two'])).runs.map(({ stage }) => stage)).toEqual([1, 1]);
    await expect(compare(['one@3', 'two'])).rejects.toThrow('run one has no stage 3');
  });

  it('must be complete', async () => {
    const compare = await ledgerWith(made('one'), made('two'), made('late', { isOver: false }));
    const result = await compare(['one', 'two', 'late@2']);
    expect(result.apart).toMatchObject([
      { runs: ['late@2'], reasons: [{ kind: 'unfinished' }], remedy: 'late@1 is its last complete stage' },
    ]);
    expect(result.sets).toMatchObject([{ runs: ['one', 'two'], stage: 2 }]);
  });
});

describe('runs that trained the same policy', () => {
  it('are the same, not inconclusive', async () => {
    const checkpoint = { reference: 'checkpoint', digest: 'a'.repeat(64) };
    const compare = await ledgerWith(
      made('one', { trained: { checkpoint } }),
      made('two', { trained: { checkpoint } }),
    );
    expect(only(await compare(['one', 'two']))).toMatchObject({
      ...{ verdict: 'same', difference: 0, p: null },
      says: 'the same checkpoint: both runs trained the same policy',
    });
  });
});

describe('forks', () => {
  it('are the same in stages that they share, and differ from the next one on', async () => {
    const parent = made('one');
    const compare = await ledgerWith(parent, forkOf(parent, 'two'));
    expect(only(await compare(['one@1', 'two@1']))).toMatchObject({ verdict: 'same', difference: 0, p: null });
    const result = await compare(['one', 'two']);
    expect(only(result)).toMatchObject({ verdict: 'better', says: 'better by 20 points' });
    expect(notesIn(result)).toContain('two shares stage 1 with one: they differ from stage 2 on.');
    expect(result.runs[1]?.course.map(({ value }) => value)).toEqual([0.5, 0.9]);
  });
});

describe('the cost of a run', () => {
  it('counts training and model calls of engineers and policies up to the compared stage', async () => {
    const recording = made('one');
    const asked = { engineer: { name: 'gpt' }, context: null, issues: [], raw: null };
    const spent = { usage: { input: 100, output: 50, reasoning: 40 }, cost: { currency: 'USD', total: 0.5 } };
    for (const stage of [1, 2]) recording.add('ProposalRejected', stage, { ...asked, ...spent, reason: 'empty' });
    const results = [
      { family: null, measure: 'tokens/output', value: 7 },
      { family: null, measure: 'cost/USD', value: 0.25 },
    ];
    recording.add('EvaluationRecorded', 1, { suite: { name: 'spoken' }, split: 'test', rollouts: 1, results });
    const compare = await ledgerWith(recording, made('two'));
    const [one, two] = (await compare(['one', 'two'])).runs;
    expect(one).toMatchObject({ tokens: 157, cost: { USD: 0.75 }, spent: { 'agent-steps': 800_256 } });
    expect(two).toMatchObject({ tokens: null, cost: {} });
    expect((await compare(['one@1', 'two@1'])).runs[0]).toMatchObject({ tokens: 7, spent: { 'agent-steps': 400_128 } });
  });
});

describe('a comparison', () => {
  it('needs two different runs', async () => {
    const compare = await ledgerWith(made('one'), made('two'));
    await expect(compare(['one'])).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('found one'),
    });
    await expect(compare(['one', 'on'])).rejects.toThrow('found one, 2 times; a run does not differ from itself');
    await expect(compare([])).rejects.toThrow('found none');
    await expect(compare(['one', 'tow'])).rejects.toMatchObject({ kind: 'not-found', remedy: 'Did you mean two?' });
    expect((await compare(['one', 'one', 'two'])).notes).toEqual(['1 run was named more than once.']);
  });

  it('can select runs by tag, and use another measure', async () => {
    const compare = await ledgerWith(
      made('one', { started: { tags: ['paper'] } }),
      wholeRun(),
      made('two', { started: { tags: ['paper'] } }),
    );
    expect((await compare([], { tag: 'paper' })).runs.map(({ name }) => name)).toEqual(['one', 'quiet-otter', 'two']);
    await expect(compare([], { tag: 'papr' })).rejects.toMatchObject({ remedy: 'Did you mean paper?' });
    expect((await compare(['one', 'two'], { measure: 'optimal' })).runs[0]?.rate.value).toBe(0.35);
    await expect(compare(['one', 'two'], { measure: 'vald' })).rejects.toMatchObject({ remedy: 'Did you mean valid?' });
  });

  it('hides test and probe-holdout results while a human decides, unless --all is given', async () => {
    const started = { engineer: { name: 'human' } };
    const compare = await ledgerWith(made('one', { started }), made('two', { started }));
    const suites = (result: Compared): string[] => result.runs.flatMap((run) => run.suites.map(({ split }) => split));
    const result = await compare(['one', 'two']);
    expect(new Set(suites(result))).toEqual(new Set(['validation']));
    expect(result.notes).toEqual([expect.stringContaining('--all has them')]);
    expect(new Set(suites(await compare(['one', 'two'], { all: true })))).toEqual(
      new Set(['validation', 'probe-holdout', 'test']),
    );
  });

  it('hides the same results in the shared history of a fork on which a human decides', async () => {
    const parent = made('one');
    const mine = forkOf(parent, 'mine', { engineer: { name: 'human' } });
    const compare = await ledgerWith(parent, mine, made('two'));
    const splits = async (runs: string[]): Promise<number[]> =>
      (await compare(runs)).runs.map(({ suites }) => new Set(suites.map(({ split }) => split)).size);
    expect(await splits(['one@1', 'mine@1', 'two@1'])).toEqual([1, 1, 3]);
    expect(await splits(['one', 'mine', 'two'])).toEqual([3, 1, 3]);
  });

  it('lists differing settings with the runs of each value, and all settings with --all', async () => {
    const compare = await ledgerWith(
      made('one', { options: { rate: 1 } }),
      made('two', { engineer: 'gpt' }),
      made('three'),
    );
    const { settings } = await compare(['one', 'two', 'three']);
    expect(settings).toEqual([
      {
        setting: 'engineer',
        isChanged: true,
        values: [
          { value: 'rules', runs: ['one', 'three'] },
          { value: 'gpt', runs: ['two'] },
        ],
      },
      {
        setting: 'rate',
        isChanged: true,
        values: [
          { value: 1, runs: ['one'] },
          { value: null, runs: ['two', 'three'] },
        ],
      },
    ]);
    const all = await compare(['one', 'two', 'three'], { all: true });
    expect(all.settings.find(({ setting }) => setting === 'stages')).toMatchObject({
      isChanged: false,
      values: [{ value: 2 }],
    });
  });
});
