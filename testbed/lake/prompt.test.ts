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

describe('the prompt about a lake', () => {
  it('has the positions, the rules, and the format of answers', () => {
    const prompt = promptOf(lake);
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
      expect(prompt).toContain(words);
    }
  });

  it('matches the number of agents', () => {
    const alone = promptOf(fromAscii('a. .. ..\n.. .. ..\n.. .. .A'));
    expect(alone).toContain('one agent on it');
    expect(alone).toContain('There are no holes.');
    expect(alone).toContain('the moves of agent a, in');
    expect(promptOf({ ...lake, agents: lake.agents.slice(0, 1) })).toContain('{"plan":["RRDW"]}');
  });

  it('describes the whole instance', () => {
    fc.assert(
      fc.property(instances({ hasId: false }), (instance) => {
        const prompt = promptOf(instance);
        const grid = prompt
          .split('\n')
          .filter((line) => /^[a-z.#][A-Z.#]( |$)/.test(line))
          .join('\n');
        expect(lineOf(fromAscii(grid))).toEqual(lineOf(instance));
        expect(prompt).not.toMatch(/\{(?!"plan")|undefined|NaN/);
        for (const { goal } of instance.agents) {
          const [row, column] = pairOf(goal, instance.size);
          expect(prompt).toContain(`goal at row ${row}, column ${column}.`);
        }
        expect(spokenPlan(prompt)).toHaveLength(instance.agents.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the answer of a language model', () => {
  const task = { id: 'one', family: '3', instance: { ...lineOf(lake) }, facts: {} };
  const judged = async (answer: string, truncated = false) => {
    const environment = openLake();
    const [verdict] = await listed(environment.judge([{ task, answer, truncated }]));
    return { verdict, text: (await environment.draw?.(task, answer))?.text };
  };

  it('is judged and drawn by the plan in it', async () => {
    const { verdict, text } = await judged('I go round it.\n```\n{"plan": ["RRDD", "DWUURR"]}\n```');
    expect(verdict).toMatchObject({ outcome: 'off-grid', understood: ['RRDD', 'DWUURR'] });
    expect(text).not.toContain('The answer is not a plan');
    expect((await judged('a: DDRR\nb: UURR')).verdict).toMatchObject({ understood: ['DDRR', 'UURR'] });
  });

  it('fails with a reason if it contains no plan', async () => {
    const { verdict, text } = await judged('I would rather not.');
    expect(verdict).toMatchObject({
      outcome: 'parse-error',
      failures: [{ message: expect.stringContaining('"I would rather not."') }],
    });
    expect(text).toContain('The answer is not a plan: the plan: found "I would rather not."');
    expect((await judged('{"plan": ["RRX", ""]}')).verdict).toMatchObject({
      failures: [{ message: 'plan[0], step 3: found "X", allowed: U, D, L, R, W' }],
    });
    expect((await judged('{"plan": ["RR', true)).verdict).toMatchObject({ outcome: 'truncated' });
  });
});
