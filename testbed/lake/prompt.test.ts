import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed } from '../../src/lab/environments/contract/tasks.ts';
import { fromAscii } from './ascii.ts';
import { openLake } from './environment.ts';
import { type Instance, pairOf } from './instance.ts';
import { lineOf } from './line.ts';
import { promptOf, spokenPlan } from './spoken-plan.ts';
import { instances } from './testing/arbitraries.ts';

const lake: Instance = fromAscii('a. .. .B\n.. ## ..\nb. .. .A');

describe('what a policy that reads is told about a lake', () => {
  it('is where everything is, what is allowed, and how to answer', () => {
    const told = promptOf(lake);
    for (const words of [
      'a frozen lake of 3 x 3 cells with 2 agents',
      '\na. .. .B\n.. ## ..\nb. .. .A\n',
      'Agent a: start at row 0, column 0; goal at row 2, column 2.',
      'Agent b: start at row 2, column 0; goal at row 0, column 2.',
      'Holes: row 1, column 1.',
      'more than 24 moves',
      'each agent, from a to b',
      '{"plan":["RRDW","DL"]}',
    ]) {
      expect(told).toContain(words);
    }
  });

  it('agrees with the number of agents', () => {
    const alone = promptOf(fromAscii('a. .. ..\n.. .. ..\n.. .. .A'));
    expect(alone).toContain('one agent on it');
    expect(alone).toContain('There are no holes.');
    expect(alone).toContain('the moves of agent a, in');
    expect(promptOf({ ...lake, agents: lake.agents.slice(0, 1) })).toContain('{"plan":["RRDW"]}');
  });

  it('is all of the instance, with nothing left open', () => {
    fc.assert(
      fc.property(instances({ hasId: false }), (instance) => {
        const told = promptOf(instance);
        const grid = told
          .split('\n')
          .filter((line) => /^[a-z.#][A-Z.#]( |$)/.test(line))
          .join('\n');
        expect(lineOf(fromAscii(grid))).toEqual(lineOf(instance));
        expect(told).not.toMatch(/\{(?!"plan")|undefined|NaN/);
        for (const { goal } of instance.agents) {
          const [row, column] = pairOf(goal, instance.size);
          expect(told).toContain(`goal at row ${row}, column ${column}.`);
        }
        expect(spokenPlan(told)).toHaveLength(instance.agents.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('what a policy that speaks answers', () => {
  const task = { id: 'one', family: '3', instance: { ...lineOf(lake) }, facts: {} };
  const judged = async (answer: string, truncated = false) => {
    const environment = openLake();
    const [verdict] = await listed(environment.judge([{ task, answer, truncated }]));
    return { verdict, text: (await environment.draw?.(task, answer))?.text };
  };

  it('is judged and drawn by the plan that stands in it', async () => {
    const { verdict, text } = await judged('I go round it.\n```\n{"plan": ["RRDD", "DWUURR"]}\n```');
    expect(verdict).toMatchObject({ outcome: 'off-grid', understood: ['RRDD', 'DWUURR'] });
    expect(text).not.toContain('The answer is no plan');
    expect((await judged('a: DDRR\nb: UURR')).verdict).toMatchObject({ understood: ['DDRR', 'UURR'] });
  });

  it('fails for what it is where there is none', async () => {
    const { verdict, text } = await judged('I would rather not.');
    expect(verdict).toMatchObject({
      outcome: 'parse-error',
      failures: [{ message: expect.stringContaining('"I would rather not."') }],
    });
    expect(text).toContain('The answer is no plan: the plan: found "I would rather not."');
    expect((await judged('{"plan": ["RRX", ""]}')).verdict).toMatchObject({
      failures: [{ message: 'plan[0], step 3: found "X", allowed: U, D, L, R, W' }],
    });
    expect((await judged('{"plan": ["RR', true)).verdict).toMatchObject({ outcome: 'truncated' });
  });
});
