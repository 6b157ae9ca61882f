// Numbers, times and amounts as people type them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueType } from '../library/plugins/command.ts';
import { budget, choice, duration, integer, listOf, orWord, share } from '../library/plugins/values.ts';
import { createContext } from './context.ts';
import { engineers, context as form, seed, seeds } from './lab-values.ts';
import { silentIo } from './testing/harness.ts';

const context = createContext(silentIo('/'), { json: false, quiet: true }, async () => 0);

async function read<Value>(type: ValueType<Value>, typed: string, field = '--x'): Promise<Value> {
  return await type.parse(typed, field, context);
}

describe('a whole number', () => {
  it.each([
    ['400000', 400_000],
    ['400_000', 400_000],
    ['400k', 400_000],
    ['1M', 1_000_000],
    ['1e6', 1_000_000],
    ['2.5M', 2_500_000],
    ['1.5e3', 1500],
    ['0', 0],
  ])('%s is %d', async (typed, number) => {
    expect(await read(integer(0, 1e15), typed)).toBe(number);
  });

  it('is read with and without underscores and powers of ten', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1e9), async (number) => {
        for (const typed of [String(number), number.toLocaleString('en').replaceAll(',', '_'), `${number}e0`])
          expect(await read(integer(0), typed)).toBe(number);
      }),
    );
  });

  it.each(['', '1.5', '1.0001k', '-1', '1e', 'k', '1kk', '0x10', '1,000', '_1', ' 1', '1e-3', '1e99', '100'])(
    '%j is refused from 0 to 99',
    async (typed) => {
      await expect(read(integer(0, 99), typed)).rejects.toThrow(
        `--x: found "${typed}", allowed: a whole number from 0 to 99`,
      );
    },
  );
});

describe('a time', () => {
  it.each([
    ['30', 30],
    ['30s', 30],
    ['1.5s', 1.5],
    ['2m', 120],
    ['24h', 86_400],
  ])('%s is %d seconds', async (typed, seconds) => {
    expect(await read(duration, typed)).toBe(seconds);
  });

  it.each(['', '0', '0.1s', '25h', '-3', '3d', 'soon', '1e3'])('%s is refused', async (typed) => {
    await expect(read(duration, typed, '--lease')).rejects.toThrow(
      `--lease: found "${typed}", allowed: a time from 0.5s to 24h`,
    );
  });
});

describe('a budget', () => {
  it('is a number of agent steps, or amounts by unit', async () => {
    expect(await read(budget, '1_200_000')).toEqual({ 'agent-steps': 1_200_000 });
    expect(await read(budget, '600k')).toEqual({ 'agent-steps': 600_000 });
    expect(await read(budget, 'updates=200, tokens=5M')).toEqual({ updates: 200, tokens: 5_000_000 });
  });

  it('is refused if it is a word, with all forms', async () => {
    await expect(read(budget, 'lots', '--budget')).rejects.toThrow(
      '--budget: found "lots", allowed: agent steps, as 400_000, 400k or 1e6, or amounts by unit, as updates=50,tokens=5M',
    );
  });

  it('explains large numbers unless a whole number was typed', async () => {
    await expect(read(budget, '4x', '--budget')).rejects.toMatchObject({
      remedy: expect.stringContaining('Numbers may be written as'),
    });
    for (const typed of ['0', '-5']) {
      await expect(read(budget, typed, '--budget')).rejects.toMatchObject({
        remedy: expect.not.stringContaining('Numbers may be written as'),
      });
    }
  });

  it.each(['', '1.5', '-1', '0', 'updates=', '=5', 'updates=x', 'a=1,a=2', 'a=1,'])('%j is refused', async (typed) => {
    await expect(read(budget, typed, '--budget')).rejects.toThrow('--budget');
  });
});

describe('seeds', () => {
  it('are read as numbers, lists and ranges, without duplicates', async () => {
    expect(await read(seeds, '1,4,9')).toEqual([1, 4, 9]);
    expect(await read(seeds, '1..3,2')).toEqual([1, 2, 3]);
    expect(await read(seeds, '1-3')).toEqual([1, 2, 3]);
    expect(await read(seeds, '7,123456789012345678901')).toEqual([7, '123456789012345678901']);
  });

  it('are refused if only one is allowed', async () => {
    expect(await read(seed, '7', '--seed')).toBe(7);
    await expect(read(seed, '1..3', '--seed')).rejects.toThrow('--seed: found 3 seeds (1-3), allowed: one');
    for (const typed of ['-7', 'abc'])
      await expect(read(seed, typed, '--seed')).rejects.toThrow(
        new RegExp(`^--seed: found "${typed}", allowed: a whole number from 0$`),
      );
  });
});

describe('a context form', () => {
  it('joins modules by a plus sign', async () => {
    expect(await read(form, 'stats+failures')).toBe('stats+failures');
    expect(await read(form, 'v4')).toBe('v4');
  });

  it('is refused in a list if only one is allowed, with advice on joining modules', async () => {
    await expect(read(form, 'stats,failures', '--context')).rejects.toMatchObject({
      message: '--context: found 2 forms, allowed: one',
      remedy: 'To show several modules at once, join them: --context stats+failures',
    });
  });
});

describe('a choice', () => {
  it('is refused with what is allowed and the nearest name', async () => {
    await expect(read(choice(['stop', 'retry', 'keep']), 'stpo', '--on-error')).rejects.toMatchObject({
      message: '--on-error: found "stpo", allowed: stop, retry, keep',
      remedy: 'Did you mean stop?',
    });
  });
});

it('a list is separated by commas, and a wrong item is named', async () => {
  expect(await read(listOf(integer(1, 9)), '1, 2,3')).toEqual([1, 2, 3]);
  await expect(read(listOf(integer(1, 9)), '1,x')).rejects.toThrow('--x: found "x"');
  await expect(read(listOf(integer(1, 9)), '1,,2')).rejects.toThrow('--x: found "1,,2"');
});

it('a word may be allowed in place of a value', async () => {
  expect(await read(orWord(integer(1), 'all'), 'all')).toBe('all');
  await expect(read(orWord(integer(1), 'all'), 'al')).rejects.toThrow('a whole number from 1, or all');
});

it('a share is below 1, and percentage points are converted in the advice', async () => {
  expect(await read(share(), '0.02')).toBe(0.02);
  await expect(read(share(0, 'Write 0.02 for two points.'), '2')).rejects.toMatchObject({
    remedy: 'Write 0.02 for two points. 2 points are 0.02.',
  });
});

it('commas separate engineers, but not within quotes', async () => {
  expect(await read(engineers, 'rules,"python3 e.py --only a,b"')).toEqual([
    'rules',
    ['python3', 'e.py', '--only', 'a,b'],
  ]);
});
