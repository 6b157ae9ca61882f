// The lake and the dungeons with their policies, trainers and engineers, as an ordinary plugin. What they are made of is
// loaded when it is opened.
import {
  defineEngineer,
  defineEnvironment,
  definePlugin,
  definePolicy,
  defineTrainer,
  type Plugin,
  type PolicyEntry,
} from '../src/library/plugins/index.ts';
import { drawingLegend } from './commands/options.ts';
import { drillEntry, dungeonEntries, oracleEntry } from './dungeon/entries.ts';
import { hyperparameters } from './grpo/settings.ts';

const environments = ['lake'];

const rules = {
  random: 'every agent moves at random',
  greedy: 'every agent takes a shortest path and ignores the others',
  optimal: 'a plan of minimal cost',
} as const;

export function rule(name: keyof typeof rules): PolicyEntry {
  return definePolicy({
    name,
    summary: rules[name],
    environments,
    open: async () => (await import('./scripted.ts')).scriptedPolicies[name](),
  });
}

export const lake = defineEnvironment({
  name: 'lake',
  summary: 'agents on frozen lakes',
  legend: drawingLegend,
  usual: { policy: 'neural', trainer: 'grpo', budget: { 'agent-steps': 600_000 } },
  optionalKnobs: ['agents'],
  open: async ({ knobs }) => (await import('./lake/environment.ts')).openLake({ knobs }),
});

export const neural = definePolicy({
  name: 'neural',
  summary: 'a small network shared by all agents',
  environments,
  checkpoints: {
    // Far more than the network and its optimiser need.
    mostBytes: 256 * 2 ** 20,
    check: async (bytes, use) => (await import('./grpo/state.ts')).requireUsable(bytes, use),
    base: async ({ configuration, seed, folder }) => {
      const { checkedLake } = await import('./lake/configuration.ts');
      const { writeBase } = await import('./grpo/base.ts');
      return await writeBase(checkedLake(configuration), seed, folder);
    },
  },
  open: async ({ checkpoint, threads }) => {
    const { openNeural } = await import('./neural/neural.ts');
    if (checkpoint === null) throw new Error('the neural policy needs a checkpoint');
    return await openNeural(checkpoint, threads === undefined ? {} : { threads });
  },
});

export const grpo = defineTrainer({
  name: 'grpo',
  summary: 'GRPO: compares several plans per task with one another',
  environments,
  units: ['agent-steps'],
  hyperparameters,
  audit: async () => (await import('./grpo/audit.ts')).audit,
  open: async ({ hyperparameters: settings, threads }) =>
    (await import('./grpo/grpo.ts')).openGrpo({
      settings,
      ...(threads === undefined ? {} : { threads }),
    }),
});

const dungeons = [
  defineEnvironment({
    ...dungeonEntries.dungeon,
    optionalKnobs: ['world'],
    open: async (options) => await (await import('./dungeon/environment.ts')).dungeon.open(options),
  }),
  defineEnvironment({
    ...dungeonEntries.catacomb,
    optionalKnobs: ['world'],
    open: async (options) => await (await import('./dungeon/environment.ts')).catacomb.open(options),
  }),
];

const { rate } = drillEntry.hyperparameters;

const drill = defineTrainer({
  ...drillEntry,
  units: ['agent-steps', 'updates'],
  hyperparameters: { rate: { ...rate, range: { min: rate.range[0], max: rate.range[1] } } },
  open: async (options) => await (await import('./dungeon/trainer.ts')).drill.open(options),
});

const oracle = defineEngineer({
  ...oracleEntry,
  open: async (options) => await (await import('./dungeon/oracle.ts')).oracle.open(options),
});

const commands = {
  generate: 'Generate solvable lakes for training, probing or a benchmark',
  solve: 'Find optimal plans, or prove that there is none',
  judge: 'Judge plans: validity, cost, optimality, ways they fail',
  show: 'Draw lakes and plans in the terminal or as SVG',
  train: 'Train a policy with the built-in trainer or any program',
  evaluate: 'Measure a policy: a rule, a checkpoint, a language model',
  leaderboard: 'Compare policies on the same lakes',
  bench: 'Measure how fast this machine solves, judges and generates lakes',
} as const;

export const testbed: Plugin = definePlugin({
  name: 'testbed',
  commands: Object.entries(commands).map(([verb, summary]) => ({
    ...{ name: `lake ${verb}`, summary, group: 'set up' },
    load: async () => (await import('./commands/commands.ts'))[verb as keyof typeof commands],
  })),
  commandHelp: {
    lake: {
      notes: `
A frozen lake is a square grid with holes and several agents, each with its own goal. All agents move at the same time, one
cell per step or not at all. They must not share a cell, swap places, leave the grid or enter a hole. Programs exchange lakes as
lines of JSON with cells as [row, column] from 0. A plan is one string per agent of U, D, L, R and W (wait). docs/lake.md has the
details.
`,
      examples: [
        [
          'icecore lake generate --count 3 | icecore lake show --solve',
          'Three lakes with an optimal plan drawn on each',
        ],
        ['icecore lake solve lakes.ndjson > solved.ndjson', 'The lowest cost and a plan for each line'],
        ['icecore lake judge < answers.ndjson', 'Whether plans are valid and optimal, or how they fail'],
      ],
    },
  },
  environments: [lake, ...dungeons],
  policies: [rule('random'), rule('greedy'), rule('optimal'), neural],
  trainers: [grpo, drill],
  engineers: [oracle],
});
