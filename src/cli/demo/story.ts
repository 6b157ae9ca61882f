// What happened in the demo's history: the configurations, the instances, the plans and what became of them. Lines are as
// the lake reads them: cells are [row, column] from the upper left, a plan is one string of U D L R W an agent.

const easy = { data: 0.5, hole: 0, wait: 0 };
const hard = { data: 0.5, hole: 0.2, wait: 0 };

export const firstSizes = { '3': easy, '8': hard };
export const secondSizes = { '3': easy, '8': { ...hard, hole: 0.1 } };

const small = {
  size: 3,
  holes: [],
  agents: [
    { start: [0, 0], goal: [0, 2] },
    { start: [2, 2], goal: [2, 0] },
  ],
};

const large = {
  size: 8,
  holes: [
    [0, 3],
    [3, 4],
    [5, 1],
    [6, 6],
  ],
  agents: [
    { start: [0, 0], goal: [0, 5] },
    { start: [7, 7], goal: [7, 4] },
  ],
};

/** `cell` is where a plan failed, at `step`; null where it was valid. */
export const tries = [
  { group: '3', instance: small, plan: ['RR', 'LL'], outcome: 'valid', step: 0, cell: null },
  { group: '3', instance: small, plan: ['DRRU', 'LL'], outcome: 'valid', step: 0, cell: null },
  { group: '8', instance: large, plan: ['RRRRR', 'LLL'], outcome: 'hole', step: 3, cell: [0, 3] },
  { group: '8', instance: large, plan: ['DRRRRRU', 'LLL'], outcome: 'valid', step: 0, cell: null },
  { group: '8', instance: large, plan: ['DRRRRRU', 'ULLL'], outcome: 'hole', step: 2, cell: [6, 6] },
] as const;

export const failureText = `Failures, probe pool: 2 of 3 plans on 8x8 fell into a hole [F1]; none failed on 3x3.
[F2] 8x8, agent 0, plan RRRRR, falls at step 3:
A..O.a..
........
........
....O...
........
.O......
......O.
....b..B`;
