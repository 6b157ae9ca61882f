// icecore lake: the testbed from a shell.
import type { CommandFamily } from '../command.ts';

const notes = `
A frozen lake is a square grid with holes, and agents on it that all want to be somewhere else. They move at the same time,
a cell a step or not at all, and must not share a cell, change places, leave the grid or enter a hole. Programs hand
lakes to one another as lines of JSON, cells as [row, column] from 0; a plan is for every agent a text of U, D, L, R and W
(wait). docs/lake.md tells the rest.
`;

export const command: CommandFamily = {
  notes,
  examples: [
    ['icecore lake generate --count 3 | icecore lake show --solve', 'Three lakes, with an optimal plan drawn on each'],
    ['icecore lake solve lakes.ndjson > solved.ndjson', 'The least cost and a plan, line by line'],
    ['icecore lake judge < answers.ndjson', 'What becomes of plans: valid, optimal, or how they fail'],
  ],
  members: [
    {
      name: 'generate',
      summary: 'Generate solvable lakes: to train on, to probe with, benchmark suites',
      load: () => import('./lake/generate.ts'),
    },
    {
      name: 'solve',
      summary: 'Find the least cost and a plan that has it, or prove that there is none',
      load: () => import('./lake/solve.ts'),
    },
    {
      name: 'judge',
      summary: 'Judge plans: valid or how they fail, their cost, whether it is the least',
      load: () => import('./lake/judge.ts'),
    },
    {
      name: 'show',
      summary: 'Draw lakes and plans, in a terminal, in letters, as SVG',
      load: () => import('./lake/show.ts'),
    },
    {
      name: 'train',
      summary: 'Train a policy: with the trainer that is built in, or with any program',
      load: () => import('./lake/train.ts'),
    },
    {
      name: 'evaluate',
      summary: 'Tell how good a policy is: a rule, a checkpoint, a language model',
      load: () => import('./lake/evaluate.ts'),
    },
    {
      name: 'leaderboard',
      summary: 'Compare policies on the same lakes',
      load: () => import('./lake/leaderboard.ts'),
    },
    {
      name: 'bench',
      summary: 'Measure how quickly lakes are solved, judged and generated here',
      load: () => import('./lake/bench.ts'),
    },
  ],
};
