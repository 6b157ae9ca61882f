import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instanceOf } from './line.ts';
import { moveLetters, planOf, Unreadable } from './plan.ts';
import { instances, planned } from './testing/arbitraries.ts';

const instance = instanceOf({
  size: 4,
  holes: [[1, 1]],
  agents: [
    { start: [0, 0], goal: [3, 3] },
    { start: [3, 3], goal: [0, 0] },
  ],
});

describe('an answer is a plan', () => {
  it('with a text of moves for every agent', () => {
    fc.assert(
      fc.property(planned(), ({ instance, plan }) => {
        expect(planOf(plan, instance)).toEqual(plan);
      }),
    );
  });

  it('with moves in lower case', () => {
    expect(planOf(['udLRw', ''], instance)).toEqual(['UDLRW', '']);
  });

  it('with a path of cells for every agent', () => {
    const paths = [
      [
        [0, 0],
        [1, 0],
        [1, 0],
        [1, 1],
      ],
      [
        [3, 3],
        [2, 3],
        [2, 2],
      ],
    ];
    expect(planOf(paths, instance)).toEqual(['DWR', 'UL']);
    expect(planOf([[[0, 0]]], instance)).toEqual(['']);
  });

  it('when a path leaves the grid, which the judge reports', () => {
    expect(
      planOf(
        [
          [
            [0, 0],
            [-1, 0],
            [-1, -1],
          ],
        ],
        instance,
      ),
    ).toEqual(['UL']);
  });

  it('when it is for fewer agents, which the judge reports', () => {
    expect(planOf(['R'], instance)).toEqual(['R']);
    expect(planOf([], instance)).toEqual([]);
  });
});

const letters = 'U, D, L, R, W';

const unreadable: readonly (readonly [what: string, answer: unknown, agents: readonly number[], words: string])[] = [
  [
    'nothing',
    undefined,
    [],
    'the plan: found nothing, allowed: a list with a text of moves or a path of cells for every agent',
  ],
  ['a text', 'RR', [], 'the plan: found "RR", allowed: a list with a text of moves or a path of cells for every agent'],
  [
    'an object',
    {},
    [],
    'the plan: found an object, allowed: a list with a text of moves or a path of cells for every agent',
  ],
  ['texts for too many', ['', '', ''], [], 'the plan: found moves for 3 agents, allowed: at most 2'],
  ['numbers', [1, 2], [0], `plan[0]: found 1, allowed: a text of ${letters} for every agent`],
  ['null for an agent', ['R', null], [1], `plan[1]: found null, allowed: a text of ${letters} for every agent`],
  ['another letter', ['R', 'UUX'], [1], `plan[1], step 3: found "X", allowed: ${letters}`],
  ['a space', ['R R'], [0], `plan[0], step 2: found " ", allowed: ${letters}`],
  ['a comma', ['R,R'], [0], `plan[0], step 2: found ",", allowed: ${letters}`],
  ['a character of two UTF-16 units', ['R😀'], [0], `plan[0], step 2: found "😀", allowed: ${letters}`],
  ['a lookalike letter', ['Ｕ'], [0], `plan[0], step 1: found "Ｕ", allowed: ${letters}`],
  [
    'a text, then a path',
    ['R', [[3, 3]]],
    [1],
    `plan[1]: found a list of 1, allowed: a text of ${letters} for every agent`,
  ],
  ['a path, then a text', [[[0, 0]], 'U'], [1], 'plan[1]: found "U", allowed: a path of cells for every agent'],
  ['a path of no cells', [[]], [0], 'plan[0], step 0: found nothing, allowed: [0, 0], where the agent starts'],
  [
    'a path that does not begin at the start',
    [[[0, 0]], [[3, 2]]],
    [1],
    'plan[1], step 0: found [3, 2], allowed: [3, 3], where the agent starts',
  ],
  [
    'a path that jumps',
    [
      [
        [0, 0],
        [0, 1],
        [0, 3],
      ],
    ],
    [0],
    'plan[0], step 2: found [0, 3], allowed: [0, 1] or a cell next to it',
  ],
  [
    'a path across a corner',
    [
      [
        [0, 0],
        [1, 1],
      ],
    ],
    [0],
    'plan[0], step 1: found [1, 1], allowed: [0, 0] or a cell next to it',
  ],
  ['a path of numbers', [[[0, 0], 1]], [0], 'plan[0], step 1: found 1, allowed: [0, 0] or a cell next to it'],
  [
    'a path between cells',
    [
      [
        [0, 0],
        [0, 0.5],
      ],
    ],
    [0],
    'plan[0], step 1: found [0, 0.5], allowed: [0, 0] or a cell next to it',
  ],
];

describe('an answer is not a plan, with a reason, for', () => {
  it.each(unreadable)('%s', (_, answer, agents, words) => {
    const read = planOf(answer, instance);
    expect(read).toBeInstanceOf(Unreadable);
    expect(read).toEqual({ agents, words });
  });

  it('never throws for any answer, and accepts only texts of the move letters', () => {
    const member = fc.oneof(fc.anything(), fc.string(), fc.array(fc.oneof(fc.anything(), fc.constant([0, 0]))));
    const answers = fc.oneof(fc.anything({ withBigInt: true }), fc.array(member, { maxLength: 3 }));
    fc.assert(
      fc.property(instances(), answers, (instance, answer) => {
        const read = planOf(answer, instance);
        if (read instanceof Unreadable)
          expect(read.words).toMatch(/^(the plan|plan\[\d+\]).*: found .+, allowed: .+$/s);
        else for (const moves of read) expect([...moves].every((letter) => moveLetters.includes(letter))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
