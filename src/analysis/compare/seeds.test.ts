import { describe, expect, it } from 'vitest';
import type { Recording } from '../history/testing/recording.ts';
import { ledgerWith, low, made, notesIn, only } from './testing/comparing.ts';
import { evenlyValid, forkOf } from './testing/sweep.ts';

describe('seeds', () => {
  const gains = [5, 8, 2, 11, 4, 9];
  const arms = (seeds: readonly number[], engineer: string, gain: (i: number) => number): Recording[] =>
    seeds.map((seed, i) => made(`${engineer}-${seed}`, { seed, engineer, valid: [low, evenlyValid(60 + gain(i))] }));
  const six = [1, 2, 3, 4, 5, 6];
  const names = (seeds: readonly number[], engineer: string): string[] => seeds.map((seed) => `${engineer}-${seed}`);

  it('are the unit if the runs of an arm differ only by seed: each pair is two runs of one seed', async () => {
    const compare = await ledgerWith(...arms(six, 'rules', () => 0), ...arms(six, 'gpt', (i) => gains[i] ?? 0));
    const result = await compare([...names(six, 'rules'), ...names(six, 'gpt')]);
    expect(result.sets[0]).toMatchObject({ unit: 'seed', baseline: 'rules' });
    expect(result.sets[0]?.arms.map(({ arm, mean }) => [arm, Number(mean?.toFixed(3))])).toEqual([
      ['rules', 0.6],
      ['gpt', 0.665],
    ]);
    expect(only(result)).toMatchObject({
      ...{ of: 'gpt', against: 'rules', pairs: 'seeds', units: 6, better: 6, worse: 0, p: 2 / 64, verdict: 'better' },
      ...{
        difference: expect.closeTo(0.065, 12),
        // The smallest and the largest gain: outside of these, p would be 2 / 64.
        ...{ low: expect.closeTo(0.02, 12), high: expect.closeTo(0.11, 12) },
        says: 'better by 6.5 points',
      },
    });
    expect(only(result).effect).toBeCloseTo(1.9167 * 0.84075, 4);
  });

  it('have p corrected after Holm if there are several arms', async () => {
    const compare = await ledgerWith(
      ...arms(six, 'rules', () => 0),
      ...arms(six, 'gpt', (i) => gains[i] ?? 0),
      ...arms(six, 'random', (i) => [3, -3][i % 2] ?? 0),
    );
    const [first] = (await compare([...names(six, 'rules'), ...names(six, 'gpt'), ...names(six, 'random')])).sets;
    expect(first?.differences).toMatchObject([
      { of: 'gpt', p: 2 / 64, adjusted: 4 / 64, verdict: 'inconclusive' },
      { of: 'random', p: 1, adjusted: 1, verdict: 'inconclusive' },
    ]);
    expect(first?.differences[0]).toMatchObject({
      says: 'inconclusive: at least 7 seeds are needed in 2 comparisons',
      unitsNeeded: 8,
    });
    expect(first?.notes).toContain('p is corrected for 2 comparisons (Holm); intervals are not.');
  });

  it('are in arms named by the command of a program that decides', async () => {
    const program = (level: string) => (i: number) => ({
      seed: six[i] ?? 0,
      engineer: 'wild.py',
      options: { engineer: ['python3', 'wild.py', level] },
      valid: [low, evenlyValid(60)],
    });
    const of = (level: string) => six.map((seed, i) => made(`${level}-${seed}`, program(level)(i)));
    const compare = await ledgerWith(...of('easy'), ...of('hard'));
    const result = await compare([...names(six, 'easy'), ...names(six, 'hard')]);
    expect(result.sets[0]?.arms.map(({ arm }) => arm)).toEqual(['python3 wild.py easy', 'python3 wild.py hard']);
  });

  it('with which both arms trained the same policies have nothing to compare, not an interval of no width', async () => {
    const alike = (engineer: string): Recording[] =>
      six.map((seed) => {
        const checkpoint = { reference: 'checkpoint', digest: String(seed).repeat(64) };
        return made(`${engineer}-${seed}`, { seed, engineer, trained: { checkpoint } });
      });
    const compare = await ledgerWith(...alike('fixed'), ...alike('uniform'));
    const both = [...names(six, 'fixed'), ...names(six, 'uniform')];
    expect(only(await compare(both, { margin: 0.02 }))).toMatchObject({
      ...{ verdict: 'same', difference: 0, low: null, high: null, p: null, equivalence: null },
      says: 'the same checkpoint with every seed: both arms trained the same policies',
    });
  });

  it('that all go on from one run say nothing about others', async () => {
    const parent = made('parent', { seed: 1 });
    const forks = (engineer: string): Recording[] =>
      six.map((seed) =>
        forkOf(parent, `${engineer}-${seed}`, { seed, engineer: { name: engineer }, options: { engineer } }),
      );
    const compare = await ledgerWith(parent, ...forks('rules'), ...forks('gpt'));
    const note = 'All seeds continue one run; another history may give another result.';
    expect(notesIn(await compare([...names(six, 'rules'), ...names(six, 'gpt')]))).toContain(note);
    const two = six.slice(0, 2);
    expect(notesIn(await compare([...names(two, 'rules'), ...names(two, 'gpt')]))).toContain(
      'Both seeds continue one run; another history may give another result.',
    );
    const apart = await ledgerWith(...arms(six, 'rules', () => 0), ...arms(six, 'gpt', (i) => gains[i] ?? 0));
    expect(notesIn(await apart([...names(six, 'rules'), ...names(six, 'gpt')]))).not.toContain(note);
  });

  it('are too few for significance if there are fewer than six', async () => {
    const few = [1, 2, 3];
    const compare = await ledgerWith(...arms(few, 'rules', () => 0), ...arms(few, 'gpt', () => 39));
    expect(only(await compare([...names(few, 'rules'), ...names(few, 'gpt')]))).toMatchObject({
      ...{ p: 0.25, verdict: 'inconclusive' },
      says: 'inconclusive: at least 6 seeds are needed',
    });
  });

  it('that all differ by the same amount have no effect size and no interval', async () => {
    const gain = 0.39;
    const compare = await ledgerWith(...arms(six, 'rules', (i) => i), ...arms(six, 'gpt', (i) => i + 100 * gain - 10));
    const result = await compare([...names(six, 'rules'), ...names(six, 'gpt')]);
    expect(only(result)).toMatchObject({ verdict: 'better', says: 'better by 29 points', effect: null, low: null });
    expect(notesIn(result)).toContain(
      'Every pair of seeds of gpt differs by the same: without variation there is no interval.',
    );
  });

  it('in which an arm always came to the same give its mean no interval', async () => {
    const compare = await ledgerWith(...arms(six, 'rules', () => 0), ...arms(six, 'gpt', (i) => i));
    const [set] = (await compare([...names(six, 'rules'), ...names(six, 'gpt')])).sets;
    expect(set?.arms[0]).toMatchObject({ arm: 'rules', low: null, high: null, deviation: 0 });
    expect(set?.arms[1]?.low).not.toBe(null);
  });

  it('have an interval that includes 0 if p is above 0.05', async () => {
    const gain = [-5, 30, 31, 29, 33, 30];
    const compare = await ledgerWith(...arms(six, 'rules', () => 0), ...arms(six, 'gpt', (i) => gain[i] ?? 0));
    const result = only(await compare([...names(six, 'rules'), ...names(six, 'gpt')]));
    expect(result).toMatchObject({ p: 4 / 64, verdict: 'inconclusive', low: expect.closeTo(-0.05, 12) });
  });

  it('have intervals of arms cut at 0 and 1, and none of the difference, if there are two', async () => {
    const two = [1, 2];
    const compare = await ledgerWith(...arms(two, 'rules', (i) => 10 * i), ...arms(two, 'gpt', (i) => 39 * i));
    const result = await compare([...names(two, 'rules'), ...names(two, 'gpt')]);
    expect(result.sets[0]?.arms.map((arm) => [arm.low, arm.high])).toEqual([
      [expect.closeTo(0.0147, 4), 1],
      [0, 1],
    ]);
    expect([only(result).low, only(result).high]).toEqual([null, null]);
  });

  it('of forks are in a separate arm, named after the fork point', async () => {
    const parents = arms([1, 2], 'rules', () => 0);
    const forks = parents.map((parent, i) => forkOf(parent, `fork-${i}`));
    const compare = await ledgerWith(...parents, ...forks, ...arms([1, 2], 'gpt', () => 5));
    const result = await compare([...names([1, 2], 'rules'), ...names([1, 2], 'gpt'), 'fork-0', 'fork-1'], {
      by: ['engineer'],
    });
    expect(result.sets[0]?.arms.map(({ arm }) => arm)).toEqual(['rules', 'gpt', 'rules, forked after stage 1']);
  });

  it('of a single setting have a note that their differences are chance', async () => {
    const compare = await ledgerWith(...arms([1, 2, 3], 'rules', (i) => 5 * i));
    const result = await compare(names([1, 2, 3], 'rules'));
    expect(result.sets[0]).toMatchObject({
      unit: 'run',
      arms: [{ mean: expect.closeTo(0.65, 12), deviation: expect.closeTo(0.05, 12) }],
    });
    expect(notesIn(result)).toContain('so their differences are chance');
  });

  it('make no pairs if the arms have none in common', async () => {
    const compare = await ledgerWith(...arms([1, 2], 'rules', () => 0), ...arms([3, 4], 'gpt', () => 20));
    const result = await compare([...names([1, 2], 'rules'), ...names([3, 4], 'gpt')]);
    expect(result.sets[0]?.unit).toBe('run');
    expect(notesIn(result)).toContain('Settings share too few seeds');
    const asked = await compare([...names([1, 2], 'rules'), ...names([3, 4], 'gpt')], { by: ['engineer'] });
    expect(only(asked)).toMatchObject({ verdict: 'unknown', says: 'no seed in common: 3, 4 here, 1, 2 there' });
  });

  it('are grouped into arms by the settings of --by, even if other settings differ by seed', async () => {
    const drawn = (engineer: string, gain: number) =>
      six.map((seed) =>
        made(`${engineer}-${seed}`, {
          ...{ seed, engineer, valid: [low, evenlyValid(50 + gain + seed)] },
          options: { configuration: { hole: seed / 10 } },
        }),
      );
    const compare = await ledgerWith(...drawn('rules', 0), ...drawn('gpt', 10));
    const all = [...names(six, 'rules'), ...names(six, 'gpt')];
    const result = await compare(all);
    expect(result.sets[0]?.unit).toBe('run');
    expect(notesIn(result)).toContain('--by engineer groups the runs by engineer.');
    expect(only(await compare(all, { by: ['engineer'] }))).toMatchObject({
      ...{ of: 'gpt', pairs: 'seeds', units: 6, difference: expect.closeTo(0.1, 12) },
    });
    expect(notesIn(await compare(names(six, 'rules'), { by: ['engineer'] }))).toContain('--by makes no arms here');
    await expect(compare(all, { by: ['enginer'] })).rejects.toMatchObject({ remedy: 'Did you mean engineer?' });
  });

  it('are refused if --by puts two different runs of one seed into one arm', async () => {
    const compare = await ledgerWith(
      made('rules-1', { options: { rate: 1 } }),
      made('other-1', { options: { rate: 2 } }),
      made('gpt-1', { engineer: 'gpt' }),
    );
    await expect(compare(['rules-1', 'other-1', 'gpt-1'], { by: ['engineer'] })).rejects.toMatchObject({
      message: 'rules-1 and other-1 are in one arm, engineer rules, with the same seed 1',
      remedy: 'They differ in rate: add that to the settings that define the arms, or leave one of the runs out.',
      commandRemedy: 'They differ in rate: add that to --by, or leave one of them out.',
    });
  });
});
