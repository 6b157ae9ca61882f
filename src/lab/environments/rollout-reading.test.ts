import { describe, expect, it } from 'vitest';
import type { Condition, Descriptor } from '../../../schemas/environment.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { failureClassOf, familyOf, isFailed, meets, picked } from './rollout-reading.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;
const rollout = golden('RolloutRecorded.v1').event.data;

describe('a rollout read by its descriptor', () => {
  it('has the outcome, failure class and family that the descriptor defines', () => {
    expect(isFailed(lake, rollout)).toBe(true);
    expect(failureClassOf(lake, rollout)).toBe('hole');
    expect(familyOf(lake, rollout)).toBe('5');
    expect(isFailed(lake, { ...rollout, outcome: 'valid' })).toBe(false);
    const { failureClass, task, ...bare } = rollout;
    expect(failureClassOf(lake, bare)).toBe('unclassified');
    expect(familyOf(lake, bare)).toBe(null);
  });
});

const data = {
  word: 'eight',
  number: 8,
  zero: 0,
  yes: true,
  none: null,
  list: ['eight'],
  deep: { number: 8 },
  empty: '',
};

describe('a condition', () => {
  it.each<[Extract<Condition, { all: unknown }>['all'][number], boolean]>([
    [{ field: ['word'], equals: 'eight' }, true],
    [{ field: ['word'], equals: 'Eight' }, false],
    [{ field: ['number'], equals: 8 }, true],
    [{ field: ['number'], equals: '8' }, false],
    [{ field: ['yes'], equals: true }, true],
    [{ field: ['none'], equals: null }, true],
    [{ field: ['absent'], equals: null }, true],
    [{ field: ['zero'], equals: null }, false],
    [{ field: ['list'], equals: 'eight' }, false],
    [{ field: ['deep', 'number'], equals: 8 }, true],
    [{ field: ['word', 'length'], equals: 5 }, false],
    [{ field: ['word'], differs: 'nine' }, true],
    [{ field: ['word'], differs: 'eight' }, false],
    [{ field: ['absent'], differs: 'eight' }, true],
    [{ field: ['number'], below: 8 }, false],
    [{ field: ['number'], below: 8.1 }, true],
    [{ field: ['none'], below: 1 }, false],
    [{ field: ['word'], below: 1 }, false],
    [{ field: ['number'], atLeast: 8 }, true],
    [{ field: ['absent'], atLeast: 0 }, false],
    [{ field: ['zero'], present: true }, true],
    [{ field: ['none'], present: true }, false],
    [{ field: ['absent'], present: false }, true],
    [{ field: ['constructor'], present: true }, false],
  ])('%j: %s', (test, outcome) => {
    expect(meets({ all: [test] }, data)).toBe(outcome);
    expect(meets({ any: [test] }, data)).toBe(outcome);
  });

  it('with `any` requires one test, and with `all` every test', () => {
    const [yes, no] = [
      { field: ['yes'], equals: true },
      { field: ['yes'], equals: false },
    ];
    expect(meets({ any: [no, yes] }, data)).toBe(true);
    expect(meets({ all: [no, yes] }, data)).toBe(false);
    expect(meets({ any: [] }, data)).toBe(false);
    expect(meets({ all: [] }, data)).toBe(true);
  });
});

it.each([
  ['word', 'eight'],
  ['number', '8'],
  ['yes', 'true'],
  ['none', null],
  ['absent', null],
  ['list', null],
  ['deep', null],
  ['empty', null],
])('the text of the field %s is %j', (field, word) => {
  expect(picked({ field: [field] }, data)).toBe(word);
  expect(picked({ field: [field], otherwise: 'other' }, data)).toBe(word ?? 'other');
});
