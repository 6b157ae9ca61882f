import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Compared, RunDifference } from '../../../schemas/compare-output.ts';
import { mcnemar } from '../../lab/statistics/mcnemar.ts';
import { stratified } from '../../lab/statistics/strata.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { inLedger } from '../../projections/testing/folded.ts';
import { randomHistory } from '../../projections/testing/random-history.ts';
import { listRuns } from '../history/runs.ts';
import { evaluation, Recording, sizes, wholeRun } from '../history/testing/recording.ts';
import { type ComparisonAsked, compared } from './compare.ts';
import { addStages, evenlyValid, type RunMade, runMade } from './testing/sweep.ts';

const usual: ComparisonAsked = {
  ...{ runs: [], tag: null, against: null, suite: null, measure: null },
  ...{ by: [], despite: [], margin: null, all: false },
};

type Compare = (runs: readonly string[], asked?: Partial<ComparisonAsked>) => Promise<Compared>;

async function ledgerWith(...recordings: readonly Recording[]): Promise<Compare> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-compare-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  for (const recording of recordings) await recording.writeTo(ledger);
  return async (runs, asked = {}) => await compared(ledger, { ...usual, runs: runs.map(reference), ...asked });
}

function reference(text: string): { run: string; stage: number | null } {
  const [run = '', stage] = text.split('@');
  return { run, stage: stage === undefined ? null : Number(stage) };
}

function only(told: Compared): RunDifference {
  const [set, ...others] = told.sets;
  const [difference, ...more] = set?.differences ?? [];
  expect([others, more]).toEqual([[], []]);
  if (difference === undefined) throw new Error('nothing was compared');
  return difference;
}

const notesIn = (told: Compared): string => told.sets.flatMap(({ notes }) => notes).join('\n');

const [low, high] = [evenlyValid(50), evenlyValid(70)];
const made = (name: string, more: Partial<RunMade> = {}): Recording => runMade({ name, valid: [low, high], ...more });

describe('two runs', () => {
  it('are compared group by group of the same suite, with the first as what the other is held against', async () => {
    const compare = await ledgerWith(made('one'), made('two', { valid: [low, { 3: 90, 4: 70, 5: 60 }] }));
    const strata = [90, 70, 60].map((count) => ({ one: { count, of: 100 }, other: { count: 70, of: 100 } }));
    const expected = stratified(strata);
    const told = await compare(['one', 'two']);
    expect(only(told)).toMatchObject({
      ...{ of: 'two', against: 'one', pairs: 'groups', units: 3, better: 1, worse: 1, verdict: 'not-distinguished' },
      ...{
        difference: expected?.value,
        low: expected?.low,
        high: expected?.high,
        p: expected?.p,
        adjusted: expected?.p,
      },
      ...{ says: 'not distinguished' },
    });
    expect(told.sets[0]).toMatchObject({ stage: 2, unit: 'run', suite: { suite: 'validation', split: 'validation' } });
    expect(only(told).groups.map(({ group, difference }) => [group, Number(difference?.toFixed(2))])).toEqual([
      ['3', 0.2],
      ['4', 0],
      ['5', -0.1],
    ]);
    expect(only(await compare(['one', 'two'], { against: reference('two') })).difference).toBeCloseTo(
      -(expected?.value ?? 0),
      12,
    );
  });

  it('that differ beyond chance are better or worse by so many points, and say that they are two runs', async () => {
    const compare = await ledgerWith(made('one'), made('two', { valid: [low, evenlyValid(85)], engineer: 'gpt' }));
    const told = await compare(['one', 'two']);
    expect(only(told)).toMatchObject({ verdict: 'better', says: 'better by 15 points' });
    expect(only(await compare(['two', 'one']))).toMatchObject({ verdict: 'worse', says: 'worse by 15 points' });
    expect(notesIn(told)).toContain('One run against one run tells of these runs, not of their settings');
  });

  it('are equivalent only within a margin that was stated, and only where that is shown', async () => {
    const compare = await ledgerWith(made('one'), made('two', { engineer: 'gpt' }));
    expect(only(await compare(['one', 'two']))).toMatchObject({ says: 'not distinguished', equivalence: null });
    expect(only(await compare(['one', 'two'], { margin: 0.15 }))).toMatchObject({
      says: 'not distinguished, equivalent within 15 points',
      equivalence: { margin: 0.15, holds: true, level: 0.9 },
    });
    expect(only(await compare(['one', 'two'], { margin: 0.02 }))).toMatchObject({
      says: 'not distinguished, not shown to be within 2 points',
      equivalence: { holds: false },
    });
  });

  it('are no more equivalent for being better', async () => {
    const compare = await ledgerWith(made('one'), made('two', { valid: [low, evenlyValid(85)], engineer: 'gpt' }));
    for (const sides of [
      ['one', 'two'],
      ['two', 'one'],
    ])
      expect(only(await compare(sides, { margin: 0.05 })).equivalence).toMatchObject({ holds: false });
  });

  it('that tried each task several times are as sure as so many tasks make them, not tries', async () => {
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
      verdict: 'not-distinguished',
    });
  });

  it('are compared task by task where rollouts of the suite are recorded', async () => {
    const results = { one: [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], two: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] };
    const recordings = Object.entries(results).map(([name, outcomes]) => withRollouts(made(name), name, 2, outcomes));
    const compare = await ledgerWith(...recordings);
    expect(only(await compare(['one', 'two']))).toMatchObject({
      ...{ pairs: 'tasks', units: 10, better: 6, worse: 1, difference: expect.closeTo(0.5, 12) },
      ...{ p: expect.closeTo(mcnemar(6, 1), 12), method: expect.stringContaining('McNemar') },
    });
  });

  it('are compared by the probe pool where that is asked for, with several tries at a task', async () => {
    const tries = (shares: readonly number[]): number[] =>
      shares.flatMap((wins) => [Number(wins > 0), Number(wins > 1)]);
    const one = withRollouts(made('one'), 'one', 2, tries([0, 0, 0, 1, 0, 1, 0]), { split: 'probe', samples: 2 });
    const two = withRollouts(made('two'), 'two', 2, tries([2, 1, 2, 2, 1, 2, 2]), { split: 'probe', samples: 2 });
    const compare = await ledgerWith(one, two);
    const told = await compare(['one', 'two'], { suite: 'probe' });
    expect(only(told)).toMatchObject({ pairs: 'tasks', units: 7, better: 7, worse: 0, p: 2 / 128, verdict: 'better' });
    expect(told.runs.map(({ rate }) => rate.of)).toEqual([14, 14]);
    expect(await compare(['one', 'two'], { suite: 'probe' })).toEqual(told);
  });

  it('have no evidence from tries that a fault spoilt', async () => {
    const compare = await ledgerWith(
      withRollouts(made('one'), 'one', 2, [1, 0, 0, 1], { split: 'probe' }),
      withRollouts(made('two'), 'two', 2, [1, 0, 0, 1], { split: 'probe', spoilt: 1 }),
    );
    const told = await compare(['one', 'two'], { suite: 'probe' });
    expect(only(told)).toMatchObject({ units: 3, better: 0, worse: 0 });
    expect(told.runs.map(({ rate }) => rate.of)).toEqual([4, 3]);
  });

  it('of which one has other tasks in its evidence have no pairs of tasks', async () => {
    const one = withRollouts(made('one'), 'one', 2, [1, 0], { split: 'probe' });
    const two = withRollouts(made('two'), 'two', 2, [1, 0], { split: 'probe', tasks: 'others' });
    const compare = await ledgerWith(one, two);
    const told = only(await compare(['one', 'two'], { suite: 'probe' }));
    expect(told).toMatchObject({ pairs: null, verdict: 'unknown', says: 'no task was tried by both' });
  });
});

describe('the stage', () => {
  it('is the last that all of them have finished, and it is said who is behind', async () => {
    const compare = await ledgerWith(
      made('one'),
      made('two', { valid: [low, high, high] }),
      made('late', { isOver: false }),
    );
    const told = await compare(['one', 'two', 'late']);
    expect(told.runs.map(({ stage }) => stage)).toEqual([1, 1, 1]);
    expect(told.sets[0]?.stage).toBe(1);
    expect(notesIn(told)).toContain('As of stage 1, the last that all of them have finished: late has no more.');
    expect(notesIn(told)).toContain('Without it it would be stage 2');
    expect((await compare(['one', 'two'])).sets[0]?.stage).toBe(2);
  });

  it('is the one that is named, of the same run or of several', async () => {
    const compare = await ledgerWith(made('one'), made('two'));
    const told = await compare(['one@1', 'one@2']);
    expect(only(told)).toMatchObject({ of: 'one@2', against: 'one@1', difference: expect.closeTo(0.2, 12) });
    expect(notesIn(told)).toContain('Not the same stage: one@1: stage 1, one@2: stage 2.');
    expect((await compare(['one@1', 'two'])).runs.map(({ stage }) => stage)).toEqual([1, 1]);
    await expect(compare(['one@3', 'two'])).rejects.toThrow('run one has no stage 3');
  });

  it('that is not over is compared with nothing', async () => {
    const compare = await ledgerWith(made('one'), made('two'), made('late', { isOver: false }));
    const told = await compare(['one', 'two', 'late@2']);
    expect(told.apart).toMatchObject([
      { runs: ['late@2'], reasons: [{ kind: 'unfinished' }], remedy: 'late@1 is the last of it that is over' },
    ]);
    expect(told.sets).toMatchObject([{ runs: ['one', 'two'], stage: 2 }]);
  });
});

describe('forks', () => {
  const fork = (recording: Recording, name: string): Recording => {
    const parent = { run: 'one', stage: 1, revision: stageEnd(recording), digest: sha256('whatever') };
    const forked = new Recording(name);
    forked.add('RunStarted', null, { name, environment: { name: 'lake', version: '1' }, ...alike, parent });
    addStages(forked, [evenlyValid(90)], 2);
    return forked;
  };
  const alike = {
    policy: { name: 'neural', version: '1' },
    trainer: { name: 'grpo' },
    budget: { decisions: 400_000 },
  };
  /** Of the first stage. */
  const stageEnd = ({ sent }: Recording): number => sent.findIndex(({ event }) => event.type === 'StageCompleted');

  it('are the same in stages that they share, and differ from the next one on', async () => {
    const parent = made('one');
    const compare = await ledgerWith(parent, fork(parent, 'two'));
    expect(only(await compare(['one@1', 'two@1']))).toMatchObject({ verdict: 'same', difference: 0, p: null });
    const told = await compare(['one', 'two']);
    expect(only(told)).toMatchObject({ verdict: 'better', says: 'better by 20 points' });
    expect(notesIn(told)).toContain('two shares stage 1 with one: they differ from stage 2 on.');
    expect(told.runs[1]?.course.map(({ value }) => value)).toEqual([0.5, 0.9]);
  });
});

describe('seeds', () => {
  const gains = [5, 8, 2, 11, 4, 9];
  const arms = (seeds: readonly number[], engineer: string, gain: (i: number) => number): Recording[] =>
    seeds.map((seed, i) => made(`${engineer}-${seed}`, { seed, engineer, valid: [low, evenlyValid(60 + gain(i))] }));
  const six = [1, 2, 3, 4, 5, 6];
  const names = (seeds: readonly number[], engineer: string): string[] => seeds.map((seed) => `${engineer}-${seed}`);

  it('are the unit where runs differ by their seeds alone: each pair is two runs of one seed', async () => {
    const compare = await ledgerWith(...arms(six, 'rules', () => 0), ...arms(six, 'gpt', (i) => gains[i] ?? 0));
    const told = await compare([...names(six, 'rules'), ...names(six, 'gpt')]);
    expect(told.sets[0]).toMatchObject({ unit: 'seed', baseline: 'rules' });
    expect(told.sets[0]?.arms.map(({ arm, mean }) => [arm, Number(mean?.toFixed(3))])).toEqual([
      ['rules', 0.6],
      ['gpt', 0.665],
    ]);
    expect(only(told)).toMatchObject({
      ...{ of: 'gpt', against: 'rules', pairs: 'seeds', units: 6, better: 6, worse: 0, p: 2 / 64, verdict: 'better' },
      ...{
        difference: expect.closeTo(0.065, 12),
        low: expect.closeTo(0.065 - 0.03559, 4),
        says: 'better by 6.5 points',
      },
    });
    expect(only(told).effect).toBeCloseTo(1.9167, 4);
  });

  it('are told apart after Holm where there are several arms', async () => {
    const compare = await ledgerWith(
      ...arms(six, 'rules', () => 0),
      ...arms(six, 'gpt', (i) => gains[i] ?? 0),
      ...arms(six, 'random', (i) => [3, -3][i % 2] ?? 0),
    );
    const [first] = (await compare([...names(six, 'rules'), ...names(six, 'gpt'), ...names(six, 'random')])).sets;
    expect(first?.differences).toMatchObject([
      { of: 'gpt', p: 2 / 64, adjusted: 4 / 64, verdict: 'not-distinguished' },
      { of: 'random', p: 1, adjusted: 1, verdict: 'not-distinguished' },
    ]);
    expect(first?.differences[0]?.unitsNeeded).toBe(6);
    expect(first?.notes).toContain('p is corrected for 2 comparisons, after Holm.');
  });

  it('that are fewer than six are too few, whatever the difference', async () => {
    const few = [1, 2, 3];
    const compare = await ledgerWith(...arms(few, 'rules', () => 0), ...arms(few, 'gpt', () => 39));
    expect(only(await compare([...names(few, 'rules'), ...names(few, 'gpt')]))).toMatchObject({
      ...{ p: 0.25, verdict: 'not-distinguished' },
      says: 'not distinguished: 6 seeds are the least that can show a difference',
    });
  });

  it('of one setting differ by chance', async () => {
    const compare = await ledgerWith(...arms([1, 2, 3], 'rules', (i) => 5 * i));
    const told = await compare(names([1, 2, 3], 'rules'));
    expect(told.sets[0]).toMatchObject({
      unit: 'run',
      arms: [{ mean: expect.closeTo(0.65, 12), deviation: expect.closeTo(0.05, 12) }],
    });
    expect(notesIn(told)).toContain('whatever they differ by came by chance');
  });

  it('that are others in each arm make no pairs', async () => {
    const compare = await ledgerWith(...arms([1, 2], 'rules', () => 0), ...arms([3, 4], 'gpt', () => 20));
    const told = await compare([...names([1, 2], 'rules'), ...names([3, 4], 'gpt')]);
    expect(told.sets[0]?.unit).toBe('run');
    expect(notesIn(told)).toContain('Settings have too few seeds in common');
    const asked = await compare([...names([1, 2], 'rules'), ...names([3, 4], 'gpt')], { by: ['engineer'] });
    expect(only(asked)).toMatchObject({ verdict: 'unknown', says: 'no seed in common: 3, 4 here, 1, 2 there' });
  });

  it('belong to arms of the settings that --by names, whatever else each seed has of its own', async () => {
    const drawn = (engineer: string, gain: number) =>
      six.map((seed) =>
        made(`${engineer}-${seed}`, {
          ...{ seed, engineer, valid: [low, evenlyValid(50 + gain + seed)] },
          options: { configuration: { hole: seed / 10 } },
        }),
      );
    const compare = await ledgerWith(...drawn('rules', 0), ...drawn('gpt', 10));
    const all = [...names(six, 'rules'), ...names(six, 'gpt')];
    const told = await compare(all);
    expect(told.sets[0]?.unit).toBe('run');
    expect(notesIn(told)).toContain('--by engineer takes runs of one engineer together.');
    expect(only(await compare(all, { by: ['engineer'] }))).toMatchObject({
      ...{ of: 'gpt', pairs: 'seeds', units: 6, difference: expect.closeTo(0.1, 12) },
    });
    expect(notesIn(await compare(names(six, 'rules'), { by: ['engineer'] }))).toContain('--by makes no arms here');
    await expect(compare(all, { by: ['enginer'] })).rejects.toMatchObject({ remedy: 'Did you mean engineer?' });
  });

  it('are refused where an arm would have two runs of one seed that differ', async () => {
    const compare = await ledgerWith(
      made('rules-1', { options: { rate: 1 } }),
      made('other-1', { options: { rate: 2 } }),
      made('gpt-1', { engineer: 'gpt' }),
    );
    await expect(compare(['rules-1', 'other-1', 'gpt-1'], { by: ['engineer'] })).rejects.toMatchObject({
      message: '--by puts rules-1 and other-1 into one arm, engineer rules, with the same seed 1',
      remedy: 'They differ in rate: add that to --by, or leave one of them out.',
    });
  });
});

describe('what is not comparable', () => {
  const cases: readonly (readonly [string, Partial<EventData['RunStarted']>, string, string])[] = [
    [
      'budget',
      { budget: { decisions: 1000 } },
      'another budget a stage: 1,000 decisions, not 400,000 decisions',
      'budget',
    ],
    ['policy', { policy: { name: 'qwen' } }, 'another policy: qwen, not neural 1', 'policy'],
    ['trainer', { trainer: { name: 'verl' } }, 'another trainer: verl, not grpo', 'trainer'],
    ['environment', { environment: { name: 'odd' } }, 'another environment: odd, not lake 1', 'environment'],
  ];

  it.each(cases)('is said with what to type instead: %s', async (kind, started, says, despite) => {
    const compare = await ledgerWith(made('one'), made('two', { started }));
    const told = await compare(['one', 'two']);
    expect(told.sets).toEqual([]);
    expect(told.apart).toMatchObject([
      {
        runs: ['two'],
        from: 'one',
        reasons: [{ kind, says }],
        remedy: `--despite ${despite} compares them all the same`,
      },
    ]);
    expect(only(await compare(['one', 'two'], { despite: [despite as 'budget'] })).pairs).toBe('groups');
  });

  it('is another way to describe the environment', async () => {
    const described = (step: number): Partial<RunMade> => {
      const { descriptor } = startedIn(made('any'));
      const knobs = descriptor?.knobs.map((knob) => (knob.group === null ? knob : { ...knob, step })) ?? [];
      return descriptor === undefined ? {} : { started: { descriptor: { ...descriptor, knobs } } };
    };
    const compare = await ledgerWith(made('one', described(0.05)), made('two', described(0.1)));
    const [apart] = (await compare(['one', 'two'])).apart;
    expect(apart?.reasons.map(({ says }) => says)).toEqual(['its environment is described otherwise: knobs']);
  });

  it('are other tasks, unless there is a suite that both have tried', async () => {
    const compare = await ledgerWith(onSuite('one', sha256('a')), onSuite('two', sha256('b')));
    const told = await compare(['one', 'two']);
    expect(told.apart).toMatchObject([
      {
        reasons: [{ kind: 'suite', says: expect.stringContaining('other tasks: validation') }],
        remedy: '--suite common compares them by tasks that both have tried',
      },
    ]);
    expect(only(await compare(['one', 'two'], { suite: 'common' })).verdict).toBe('not-distinguished');
    await expect(compare(['one', 'two'], { suite: 'comon' })).rejects.toMatchObject({ remedy: 'Did you mean common?' });
  });

  it('is compared within itself where there are several', async () => {
    const other = { budget: { decisions: 1000 } };
    const compare = await ledgerWith(
      made('one'),
      made('a', { started: other }),
      made('two'),
      made('b', { started: other }),
    );
    const told = await compare(['one', 'a', 'two', 'b']);
    expect(told.sets.map(({ runs, baseline }) => [runs, baseline])).toEqual([
      [['one', 'two'], 'one'],
      [['a', 'b'], 'a'],
    ]);
    expect(told.apart).toMatchObject([{ runs: ['a', 'b'], from: 'one', reasons: [{ kind: 'budget' }] }]);
    const against = await compare(['one', 'a', 'two', 'b'], { against: reference('b') });
    expect(against.sets.map(({ baseline }) => baseline)).toEqual(['b', 'one']);
  });
});

describe('what others recorded', () => {
  it('is compared as far as it goes, without a descriptor, stages that end, or counts', async () => {
    const told = (name: string, value: number): Recording => {
      const recording = new Recording(name);
      recording.add('RunStarted', null, { name, environment: { name: 'gsm8k' } });
      const results = [{ group: null, measure: 'accuracy', value }];
      recording.add('EvaluationRecorded', 3, { suite: { name: 'val' }, split: 'validation', rollouts: 100, results });
      return recording;
    };
    const compare = await ledgerWith(told('one', 0.5), told('two', 0.75));
    const result = await compare(['one', 'two']);
    expect(result).toMatchObject({ measure: 'accuracy', sets: [{ stage: 3, suite: { suite: 'val' } }] });
    expect(only(result)).toMatchObject({
      difference: 0.25,
      low: null,
      verdict: 'unknown',
      says: 'how sure it is was not recorded',
    });
    expect(notesIn(result)).toContain('Nobody recorded what one, two might spend in a stage.');
  });

  it('may be evaluations outside of any stage', async () => {
    const told = (name: string, valid: number): Recording => {
      const recording = new Recording(name);
      recording.add('RunStarted', null, { name, environment: { name: 'lake' } });
      recording.add('EvaluationRecorded', null, evaluation('wait-50', 'test', evenlyValid(valid)));
      return recording;
    };
    const compare = await ledgerWith(told('one', 20), told('two', 60));
    expect(only(await compare(['one', 'two']))).toMatchObject({ verdict: 'better', says: 'better by 40 points' });
  });

  it('may be nothing at all yet', async () => {
    const empty = new Recording('empty');
    empty.add('RunStarted', null, { name: 'empty', environment: { name: 'lake' } });
    const compare = await ledgerWith(made('one'), empty);
    expect((await compare(['one', 'empty'])).apart).toMatchObject([
      {
        runs: ['empty'],
        reasons: [{ kind: 'unfinished', says: 'nothing has come of it yet (recorded)' }],
        remedy: null,
      },
    ]);
  });

  it('is compared whatever the catalogue allows', async () => {
    const property = fc.asyncProperty(randomHistory(), async (world) => {
      await inLedger(world, async (ledger: Ledger) => {
        const listed = await listRuns(ledger, { limit: 100 });
        // A run whose identity is what another one is called cannot be named.
        const rows = listed.rows.filter(({ run }) => listed.rows.every((one) => one.run === run || one.name !== run));
        if (rows.length < 2) return;
        const told = await compared(ledger, {
          ...usual,
          runs: rows.map(({ run }) => ({ run, stage: null })),
          all: true,
        });
        const placed = [...told.sets.flatMap(({ runs }) => runs), ...told.apart.flatMap(({ runs }) => runs)];
        expect(told.runs.map(({ label }) => label).filter((label) => !placed.includes(label))).toEqual(
          told.sets.length === 0 ? expect.any(Array) : [],
        );
      });
    });
    await fc.assert(property, { numRuns: 4, endOnFailure: true });
  });
});

describe('what it took', () => {
  it('is told as far as the stage: training, and models that engineers and policies asked before it', async () => {
    const recording = made('one');
    const asked = { engineer: { name: 'gpt' }, context: null, issues: [], raw: null };
    const spent = { usage: { input: 100, output: 50, reasoning: 40 }, cost: { currency: 'USD', total: 0.5 } };
    for (const stage of [1, 2])
      recording.add('ProposalRejected', stage, { ...asked, ...spent, forStage: stage + 1, reason: 'empty' });
    const results = [
      { group: null, measure: 'tokens/output', value: 7 },
      { group: null, measure: 'cost/USD', value: 0.25 },
    ];
    recording.add('EvaluationRecorded', 1, { suite: { name: 'spoken' }, split: 'test', rollouts: 1, results });
    const compare = await ledgerWith(recording, made('two'));
    const [one, two] = (await compare(['one', 'two'])).runs;
    expect(one).toMatchObject({ tokens: 157, cost: { USD: 0.75 }, spent: { decisions: 800_256 } });
    expect(two).toMatchObject({ tokens: null, cost: {} });
    expect((await compare(['one@1', 'two@1'])).runs[0]).toMatchObject({ tokens: 7, spent: { decisions: 400_128 } });
  });
});

describe('what is asked for', () => {
  it('takes two runs that are not the same', async () => {
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

  it('may be a tag, and a measure', async () => {
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

  it('leaves out what a person who decides is not to see, unless that is asked for', async () => {
    const started = { engineer: { name: 'human' } };
    const compare = await ledgerWith(made('one', { started }), made('two', { started }));
    const suites = (told: Compared): string[] => told.runs.flatMap((run) => run.suites.map(({ split }) => split));
    const told = await compare(['one', 'two']);
    expect(new Set(suites(told))).toEqual(new Set(['validation']));
    expect(told.notes).toEqual([expect.stringContaining('--all has them')]);
    expect(new Set(suites(await compare(['one', 'two'], { all: true })))).toEqual(
      new Set(['validation', 'held-back', 'test']),
    );
  });

  it('tells settings that differ with the runs that have each value, and all of them where that is asked for', async () => {
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

function startedIn({ sent }: Recording): EventData['RunStarted'] {
  return sent[0]?.event.data as EventData['RunStarted'];
}

/** With a validation suite of these tasks, and another one that is always the same. */
function onSuite(name: string, digest: string): Recording {
  const recording = new Recording(name);
  recording.add('RunStarted', null, { ...startedIn(made(name)) });
  recording.add('StageStarted', 1, {});
  for (const [suite, split, of] of [
    ['validation', 'validation', digest],
    ['common', 'test', sha256('common')],
  ] as const) {
    const data = evaluation(suite, split, evenlyValid(50));
    recording.add('EvaluationRecorded', 1, { ...data, suite: { name: suite, digest: of } });
  }
  recording.add('StageCompleted', 1, {});
  return recording;
}

interface Rollouts {
  readonly split?: EventData['RolloutRecorded']['split'];
  readonly samples?: number;
  readonly tasks?: string;
  /** The place of a try that was spoilt. */
  readonly spoilt?: number;
}

/** With single tries of a stage, in a stream of evidence of their own. */
function withRollouts(
  recording: Recording,
  run: string,
  stage: number,
  outcomes: readonly number[],
  { split = 'validation', samples = 1, tasks = 'tasks', spoilt }: Rollouts = {},
): Recording {
  const evidence = new Recording(run, Date.UTC(2026, 6, 2));
  outcomes.forEach((outcome, i) => {
    const task = Math.floor(i / samples);
    evidence.add('RolloutRecorded', stage, {
      ...(i === spoilt ? { error: { kind: 'timeout', message: 'too late' } } : {}),
      ...{
        environment: 'lake',
        split,
        policy: 'neural',
        outcome: outcome === 1 ? 'valid' : 'hole',
        success: outcome === 1,
      },
      ...{
        group: sizes[task % sizes.length] ?? '3',
        sample: i % samples,
        instance: { digest: sha256(`${tasks} ${task}`) },
      },
    });
  });
  recording.sent.push(...evidence.sent.map(({ event }) => ({ event, stream: `evidence-${run}-${stage}-0-0` })));
  return recording;
}
