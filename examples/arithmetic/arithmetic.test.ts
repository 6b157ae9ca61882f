import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArithmetic, rightAnswer } from '../../src/lab/environments/command/testing/arithmetic.ts';
import { collected, judgedOf, listed } from '../../src/lab/environments/contract/tasks.ts';
import type { Environment, Split, Task } from '../../src/lab/environments/environment.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

function problem(family: string, numbers: readonly number[], operators: readonly string[]): Task {
  return { id: 'any', family, instance: { family, numbers, operators }, facts: {} };
}

describe.skipIf(!hasPython)('the arithmetic example; skipped without Python', () => {
  let environment: Environment;
  beforeAll(async () => {
    environment = await openArithmetic();
  });
  afterAll(() => environment.close());

  it('computes products first, from the left', () => {
    expect(rightAnswer(problem('chains', [3, 4, -5], ['+', '*']))).toBe(-17);
    expect(rightAnswer(problem('chains', [9, 2, 3, 4], ['-', '*', '-']))).toBe(-1);
  });

  it.each([
    [-17, undefined],
    ['3 + 4 * (-5) is \u221217.', undefined],
    ['I think that 4 * -5 = -20, and so it is -17', undefined],
    ['no idea', 'not-a-number'],
    [null, 'not-a-number'],
    [17, 'wrong-sign'],
    [-13, 'off-by-one-digit'],
    ['-18', 'off-by-one-digit'],
    [-3, 'wrong'],
    [1.5, 'not-a-number'],
    [1e308, 'wrong'],
  ])('finds of 3 + 4 * (-5) = %j: %s', async (answer, failure) => {
    const task = problem('chains', [3, 4, -5], ['+', '*']);
    const [verdict] = await listed(environment.judge([{ task, answer }]));
    expect(judgedOf(verdict).failures[0]?.class).toBe(failure);
    expect(judgedOf(verdict).success).toBe(failure === undefined);
  });

  it('draws a problem, and an answer with the correct one', async () => {
    const task = problem('chains', [3, 4, -5], ['+', '*']);
    expect(await environment.draw?.(task)).toEqual({ text: '3 + 4 * (-5) = ?' });
    expect(await environment.draw?.(task, 'It is 17.')).toEqual({ text: '3 + 4 * (-5) = 17   (right: -17)' });
  });

  it('puts a sum into the same split in any order and in any family', async () => {
    const splitOf = new Map<string, Split>();
    for (const split of ['train', 'test'] as const) {
      const configuration = {
        families: Object.fromEntries(
          ['addition', 'multiplication', 'chains'].map((family, i) => [
            family,
            { share: [0.4, 0.4, 0.2][i], digits: 1, terms: 2 },
          ]),
        ),
        negatives: 0.5,
      };
      for (const task of (await collected(environment.generate({ configuration, split, count: 300, seed: 'a' })))
        .tasks) {
        const { numbers, operators } = task.instance as { numbers: number[]; operators: string[] };
        if (operators.includes('-')) continue;
        const same = JSON.stringify([numbers.toSorted(), operators]);
        expect([same, splitOf.get(same) ?? split]).toEqual([same, split]);
        splitOf.set(same, split);
      }
    }
    expect(new Set(splitOf.values()).size).toBe(2);
  });

  it('reports a shortage of problems', async () => {
    const { shortages } = await collected(
      environment.probe({ configuration: environment.start, split: 'probe-holdout', perCell: 6, seed: 'a' }),
    );
    expect(shortages.map(({ cell }) => cell.conditions?.['digits'])).toContain(1);
    expect(shortages.map(({ cell }) => cell.conditions?.['digits'])).not.toContain(3);
  });

  it('answers correctly more often with more skill', async () => {
    const { tasks } = await collected(
      environment.generate({ configuration: environment.start, split: 'train', count: 50, seed: 'a' }),
    );
    const right = async (skill: number): Promise<number> => {
      const policy = { name: 'pupil', parameters: { skill } };
      const rollouts = await listed(environment.rollout?.({ tasks, samples: 4, policy, seed: 'a' }) ?? noRollouts());
      return rollouts.filter(({ verdict }) => judgedOf(verdict).success).length;
    };
    expect(await right(1)).toBe(200);
    expect(await right(0.9)).toBeGreaterThan(await right(0.3));
  });
});

async function* noRollouts(): AsyncGenerator<never, void, undefined> {}
