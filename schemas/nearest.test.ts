import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest, nearestNames } from './nearest.ts';

const verbs = ['append', 'tail', 'event', 'doctor', 'init', 'demo'];

describe('the nearest name', () => {
  it.each([
    ['apend', 'append'],
    ['tial', 'tail'],
    ['EVENT', 'event'],
    ['docter', 'doctor'],
    ['doc', 'doctor'],
    ['initialise', 'init'],
  ])('%s is meant to be %s', (word, meant) => {
    expect(nearest(word, verbs)).toBe(meant);
  });

  it.each(['zebra', '', 'e', 'ablate'])('%j is near to nothing', (word) => {
    expect(nearest(word, verbs)).toBeNull();
  });

  it('several are listed from near to far, each once, up to the maximum', () => {
    const names = ['tokens', 'rewards', 'reward', 'rewards', 'outcome'];
    expect(nearestNames('reward', names)).toEqual(['reward', 'rewards']);
    expect(nearestNames('reward', names, 1)).toEqual(['reward']);
    expect(nearestNames('of', ['out_of', 'answered'])).toEqual(['out_of']);
  });
});

describe('the edit distance', () => {
  it.each([
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['', 'abc', 3],
    ['a cat', 'an act', 2],
  ])('between %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it('is symmetric, zero for equal words, and never more than the longer word', () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(editDistance(a, b)).toBeGreaterThanOrEqual(a === b ? 0 : 1);
      }),
    );
  });
});
