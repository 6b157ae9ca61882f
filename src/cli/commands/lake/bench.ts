// icecore lake bench: how quick the lake is here.
import type { CommandModule } from '../../command.ts';

const notes = `
Solves random lakes, each with a plan, 15 % to 25 % of the cells holes: how many a second, and how long the median, the 99th
of a hundred and the worst took; how many stayed undecided. Then judges the optimal plans, in steps of single agents a
second, and generates lakes of the same shape to train on, a quarter with a wait, where the generator makes such. All on one core. The same seed gives
the same lakes.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake bench', 'Lakes of usual size, some seconds'],
    ['icecore lake bench --sizes 4 --agents 5 --count 10000', 'A crowded one'],
  ],
  declare: (command) =>
    command
      .option('--sizes <list>', 'of lakes, with commas between them', '8,10')
      .option('--agents <list>', 'numbers of agents, with commas between them', '2,3,4,5')
      .option('--count <n>', 'lakes of each shape', '2000')
      .option('--seed <text>', 'where the lakes come from', 'icecore'),
  run: async (context, command) => {
    const { bench } = await import('../../lake/bench.ts');
    return await bench(context, command.opts());
  },
};
