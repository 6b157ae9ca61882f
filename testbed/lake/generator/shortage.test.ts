import { describe, expect, it } from 'vitest';
import type { LakeConfiguration, SizeKnobs } from '../configuration.ts';
import { generate, Shortages } from './generate.ts';
import { Maker, maxDraws } from './maker.ts';
import { collected } from './testing/collected.ts';

const only = (agents: number, size: number, knobs: Omit<SizeKnobs, 'data'>): LakeConfiguration => ({
  agents,
  sizes: { [size]: { data: 1, ...knobs } },
});

/** Four classes in total: none in the splits `probe` and `probe-holdout`, and one in `test`. */
const hardlyAny = only(2, 3, { hole: 0, wait: 0.75 });
const waiting = { size: 3, agents: 2, holes: 0, needsWait: true };

describe('a shortage', () => {
  it('is replaced in training if waits are too few, and reported', () => {
    // Two agents on three cells never need a wait.
    const { made, shortages } = collected(
      generate(only(2, 3, { hole: 6 / 9, wait: 0.75 }), 20, { split: 'train', seed: '1' }),
    );
    expect(made).toHaveLength(20);
    expect(made.every(({ kind }) => !kind.needsWait)).toBe(true);
    expect(shortages).toEqual([
      {
        kind: { ...waiting, holes: 6 },
        asked: 15,
        achieved: 0,
        replaced: 15,
        says: 'none was found in 11,429 draws; replaced by 15 of another kind',
      },
    ]);
  });

  it('is filled by repeats in training if a single instance exists', () => {
    const { made, shortages } = collected(generate(hardlyAny, 20, { split: 'train', seed: '1' }));
    expect(made.filter(({ kind }) => kind.needsWait)).toHaveLength(15);
    expect(new Set(made.map(({ symmetryDigest }) => symmetryDigest)).size).toBeLessThan(15);
    expect(shortages).toEqual([]);
  });

  it('leaves fewer instances in evaluation, and is reported', () => {
    const { made, shortages } = collected(generate(hardlyAny, 20, { split: 'test', seed: '1' }));
    expect(made).toHaveLength(6);
    const says = 'no further one was found in 20,000 draws';
    expect(shortages).toEqual([{ kind: waiting, asked: 15, achieved: 1, replaced: 0, says }]);
  });

  it('is reported for the split without instances', () => {
    const { shortages } = collected(generate(hardlyAny, 4, { split: 'probe-holdout', seed: '1' }));
    const says = 'none was found in 80,000 draws';
    expect(shortages).toEqual([{ kind: waiting, asked: 3, achieved: 0, replaced: 0, says }]);
  });

  it.each([
    ['two agents, eight holes', only(2, 3, { hole: 8 / 9, wait: 0 }), [8]],
    ['nothing but holes', only(1, 10, { hole: 1, wait: 0 }), [100]],
    ['five agents, more than half of the lake', only(5, 3, { hole: 5 / 9, wait: 0.5 }), [5, 5]],
    ['eight agents, two or three holes', only(8, 3, { hole: 0.25, wait: 0 }), [2, 3]],
  ])('is reported for every kind without room for its agents: %s', (_, configuration, holes) => {
    for (const split of ['train', 'validation'] as const) {
      const { shortages } = collected(generate(configuration, 40, { split, seed: '1' }));
      const noRoom = shortages.filter(({ says }) => says === 'not enough room for the agents');
      expect(noRoom.map(({ kind }) => kind.holes)).toEqual(holes);
      for (const { achieved, replaced } of noRoom) expect([achieved, replaced]).toEqual([0, 0]);
    }
  });

  it('is reported for waits of a single agent', () => {
    const configuration = only(1, 5, { hole: 0.2, wait: 0.5 });
    const training = collected(generate(configuration, 10, { split: 'train', seed: '1' }));
    expect(training.made).toHaveLength(10);
    expect(new Set(training.made.map(({ digest }) => digest)).size).toBe(10);
    const why = 'a single agent never has to wait';
    expect(training.shortages.map(({ says }) => says)).toEqual([`${why}; replaced by 5 of another kind`]);
    const evaluation = collected(generate(configuration, 10, { split: 'test', seed: '1' }));
    expect(evaluation.made).toHaveLength(5);
    expect(evaluation.shortages.map(({ says }) => says)).toEqual([why]);
  });
});

describe('the maximum number of draws of a slot', () => {
  it('is in inverse proportion to the share of the split', () => {
    expect(maxDraws('train')).toBe(11_429);
    expect(maxDraws('test')).toBe(20_000);
    expect(maxDraws('validation')).toBe(40_000);
    expect(maxDraws('probe')).toBe(40_000);
    expect(maxDraws('probe-holdout')).toBe(80_000);
  });
});

describe('shortages', () => {
  const kind = { size: 3, agents: 2, holes: 2, needsWait: true };
  const made = new Maker('seed', 'test').make({ kind, ordinal: 0 });

  it('are empty if everything was made', () => {
    const shortages = new Shortages('test');
    shortages.count(kind, made);
    expect(shortages.list()).toEqual([]);
  });

  it('count a single replacement', () => {
    const shortages = new Shortages('validation');
    shortages.count({ ...kind, holes: 3 }, made);
    shortages.count({ ...kind, holes: 4 }, null);
    expect(shortages.list()).toMatchObject([
      { asked: 1, achieved: 0, replaced: 1, says: 'none was found in 40,000 draws; replaced by 1 of another kind' },
      { asked: 1, achieved: 0, replaced: 0, says: 'none was found in 40,000 draws' },
    ]);
  });
});
