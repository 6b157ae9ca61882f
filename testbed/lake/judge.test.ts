import { describe, expect, it } from 'vitest';
import { fromAscii } from './ascii.ts';
import { horizonOf, type Instance } from './instance.ts';
import { type Failure, type FailureClass, judge } from './judge.ts';

const lake = (...lines: readonly string[]): Instance => fromAscii(lines.join('\n'));
const crossing = lake('a. .B ..', '.. .. ..', '.. b. .A');
const holed = lake('a. ## .A', '.. .. ..', 'b. ## .B');
const alone = lake('a. .. ..', '.. ## ..', '.. .. .A');
const following = lake('b. a. ..', '.. .B .A', '.. .. ..');
const circle = lake('aC bA ..', 'cD dB ..', '.. .. ..');
const corridor = lake('## ## ##', 'aB .. bA', '## ## ##');
const doorstep = lake('.. .. ..', 'aA b. .B', '.. .. ..');
const neighbours = lake('.. .. ..', 'aB bA ..', '.. .. ..');

type Valid = readonly [what: string, instance: Instance, plan: readonly string[], cost: number, steps: number];

const valid: readonly Valid[] = [
  ['when all agents arrive', crossing, ['RRDD', 'UU'], 6, 4],
  [
    'when an agent leaves its goal and comes back, at the cost up to its last arrival',
    crossing,
    ['RRDD', 'UUDU'],
    8,
    4,
  ],
  ['with waits on the way, each of which costs a step', holed, ['DRRU', 'WURRD'], 9, 5],
  ['with waits on the goal, which cost nothing and are not counted as steps', crossing, ['RRDDWW', 'UUWWWWWWW'], 6, 4],
  ['with waits on the goal beyond the horizon', alone, [`RRDD${'W'.repeat(99)}`], 4, 4],
  ['with no moves for an agent on its goal', lake('aA .. ..', '.. .. ..', 'b. .. .B'), ['', 'RR'], 2, 2],
  ['with no moves at all', lake('aA .. ..', '.. .. ..', '.. .. bB'), ['', 'W'], 0, 0],
  ['when agents follow one another without a gap', following, ['RD', 'RD'], 4, 2],
  ['when four follow one another round a circle', circle, ['R', 'D', 'U', 'L'], 4, 1],
  ['to the last step before the horizon', alone, [`${'W'.repeat(horizonOf(3) - 4)}RRDD`], 24, 24],
];

describe('a plan is valid', () => {
  it.each(valid)('%s', (_, instance, plan, cost, steps) => {
    expect(judge(instance, plan)).toEqual({ outcome: 'valid', cost, steps, failures: [] });
  });
});

type Failed = readonly [
  FailureClass,
  what: string,
  Instance,
  plan: unknown,
  steps: number,
  failures: readonly Failure[],
];
const one = (name: FailureClass, step: number, agents: readonly number[], cell: number | null): Failure => ({
  class: name,
  step,
  agents,
  cell,
});
const letters = 'U, D, L, R, W';
const parseError = (agents: readonly number[], words: string): Failure => ({
  ...one('parse-error', 0, agents, null),
  words,
});

const failing: readonly Failed[] = [
  [
    'parse-error',
    'a letter that is not a move',
    crossing,
    ['RRDD', 'U!'],
    0,
    [parseError([1], `plan[1], step 2: found "!", allowed: ${letters}`)],
  ],
  [
    'parse-error',
    'moves for more agents than there are',
    alone,
    ['RRDD', ''],
    0,
    [parseError([], 'the plan: found moves for 2 agents, allowed: at most 1')],
  ],
  [
    'missing-agent',
    'an agent without a text stays in place',
    crossing,
    ['RRDD'],
    4,
    [one('missing-agent', 0, [1], null), one('goal-missed', 4, [1], 7)],
  ],
  [
    'missing-agent',
    'an agent without a text may be on its goal',
    doorstep,
    [],
    0,
    [one('missing-agent', 0, [0, 1], null), one('goal-missed', 0, [1], 4)],
  ],
  [
    'missing-agent',
    'an agent without a text can be met by another',
    lake('aB .. .A', 'b. .. ..', '.. .. ..'),
    ['DURR'],
    4,
    [one('missing-agent', 0, [1], null), one('vertex-conflict', 1, [0, 1], 3), one('goal-missed', 4, [1], 3)],
  ],
  ['off-grid', 'the agent stays in its cell and continues', alone, ['URRDD'], 5, [one('off-grid', 1, [0], 0)]],
  [
    'off-grid',
    'every move off the grid is listed',
    alone,
    ['LUW'],
    3,
    [one('off-grid', 1, [0], 0), one('off-grid', 2, [0], 0), one('goal-missed', 3, [0], 0)],
  ],
  [
    'off-grid',
    'a path of cells may leave the grid',
    alone,
    [
      [
        [0, 0],
        [-1, 0],
        [0, 0],
      ],
    ],
    2,
    [one('off-grid', 1, [0], 0), one('goal-missed', 2, [0], 3)],
  ],
  ['hole', 'the agent is out: its goal and later moves do not count', alone, ['RDUUUUUU'], 2, [one('hole', 2, [0], 4)]],
  [
    'hole',
    'two agents in one hole have no conflict',
    lake('a. ## b.', '.B .. .A', '.. .. ..'),
    ['R', 'L'],
    1,
    [one('hole', 1, [0], 1), one('hole', 1, [1], 1)],
  ],
  [
    'hole',
    'two agents in one hole at different steps have no conflict',
    lake('a. ## b.', '.B .. .A', '.. .. ..'),
    ['R', 'WL'],
    2,
    [one('hole', 1, [0], 1), one('hole', 2, [1], 1)],
  ],
  ['vertex-conflict', 'two agents enter a cell', corridor, ['RR', 'LL'], 2, [one('vertex-conflict', 1, [0, 1], 4)]],
  [
    'vertex-conflict',
    'an agent on its goal still blocks the cell',
    doorstep,
    ['', 'LRR'],
    3,
    [one('vertex-conflict', 1, [0, 1], 3)],
  ],
  [
    'vertex-conflict',
    'agents that stay together are listed once',
    doorstep,
    ['', 'LWWRR'],
    5,
    [one('vertex-conflict', 1, [0, 1], 3)],
  ],
  [
    'vertex-conflict',
    'agents that meet again are listed again',
    doorstep,
    ['', 'LRLRR'],
    5,
    [one('vertex-conflict', 1, [0, 1], 3), one('vertex-conflict', 3, [0, 1], 3)],
  ],
  [
    'vertex-conflict',
    'agents that move on together conflict in the next cell',
    corridor,
    ['RR', 'LRLL'],
    4,
    [one('vertex-conflict', 1, [0, 1], 4), one('vertex-conflict', 2, [0, 1], 5)],
  ],
  [
    'vertex-conflict',
    'all agents of the cell are listed when a third one enters',
    lake('.. b. .C', 'aA .. .B', '.. c. ..'),
    ['RWL', 'DWR', 'WURU'],
    4,
    [
      one('vertex-conflict', 1, [0, 1], 4),
      one('vertex-conflict', 2, [0, 1, 2], 4),
      one('vertex-conflict', 3, [1, 2], 5),
    ],
  ],
  ['swap-conflict', 'two agents swap cells', neighbours, ['R', 'L'], 1, [one('swap-conflict', 1, [0, 1], 4)]],
  ['goal-missed', 'the moves end elsewhere', alone, ['RR'], 2, [one('goal-missed', 2, [0], 2)]],
  ['goal-missed', 'waits elsewhere count as moves', alone, ['RRWWW'], 5, [one('goal-missed', 5, [0], 2)]],
  ['goal-missed', 'the agent leaves its goal again', alone, ['RRDDL'], 5, [one('goal-missed', 5, [0], 7)]],
  [
    'goal-missed',
    'the moves end elsewhere at the horizon',
    alone,
    [`RR${'W'.repeat(22)}`],
    24,
    [one('goal-missed', 24, [0], 2)],
  ],
  [
    'goal-missed',
    'the moves end elsewhere while another agent exceeds the horizon',
    doorstep,
    [`${'W'.repeat(24)}U`, 'DR'],
    24,
    [one('goal-missed', 24, [1], 8), one('horizon', 25, [0], null)],
  ],
  ['horizon', 'the agent would arrive later', alone, [`${'W'.repeat(21)}RRDD`], 24, [one('horizon', 25, [0], null)]],
  [
    'horizon',
    'the agent arrives in time and moves on later',
    alone,
    [`RRDD${'W'.repeat(20)}U`],
    24,
    [one('horizon', 25, [0], null)],
  ],
  ['horizon', 'the agent only waits elsewhere', alone, [`RR${'W'.repeat(23)}`], 24, [one('horizon', 25, [0], null)]],
  [
    'hole',
    'an earlier failure comes first',
    holed,
    ['W'.repeat(25), 'R'],
    24,
    [one('hole', 1, [1], 7), one('horizon', 25, [0], null)],
  ],
];

describe('a plan fails', () => {
  it.each(failing)('%s: %s', (outcome, _, instance, plan, steps, failures) => {
    expect(judge(instance, plan)).toEqual({ outcome, cost: null, steps, failures });
  });

  it('in several ways at once, with the first as its outcome: by step, then by class order', () => {
    const busy = lake('aB bA .. ##', '.. .. .. e.', 'c. .. d. .C', '.D .E .. fF');
    const failures = [
      one('off-grid', 1, [5], 15),
      one('hole', 1, [4], 3),
      one('vertex-conflict', 1, [2, 3], 9),
      one('swap-conflict', 1, [0, 1], 1),
      one('goal-missed', 1, [2], 9),
      one('goal-missed', 1, [3], 9),
    ];
    const plan = ['R', 'L', 'R', 'L', 'U', 'R'];
    expect(judge(busy, plan)).toEqual({ outcome: 'off-grid', cost: null, steps: 1, failures });
    expect(judge(neighbours, ['R', 'LL']).failures.map((failure) => failure.class)).toEqual([
      'swap-conflict',
      'off-grid',
    ]);
  });
});

describe('a truncated answer', () => {
  const cut = (step: number): Failure => one('truncated', step, [], null);

  it.each([
    ['that cannot be read fails only as truncated', undefined, 0, [cut(0)]],
    ['with an unreadable plan fails only as truncated', ['RR', 'x'], 0, [cut(0)]],
    ['with a failing plan fails as truncated as well', ['RR'], 2, [one('goal-missed', 2, [0], 2), cut(2)]],
    [
      'with a plan beyond the horizon fails as truncated as well',
      [`RRDD${'W'.repeat(20)}U`],
      24,
      [one('horizon', 25, [0], null), cut(25)],
    ],
  ] as const)('%s', (_, answer, steps, failures) => {
    expect(judge(alone, answer, true)).toEqual({ outcome: failures[0].class, cost: null, steps, failures });
  });

  it('with a valid plan is valid', () => {
    expect(judge(alone, ['RRDD'], true)).toEqual({ outcome: 'valid', cost: 4, steps: 4, failures: [] });
  });
});
