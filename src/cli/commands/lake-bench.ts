import { filledText, integer, listOf } from '../../library/plugins/values.ts';
import { defineCommand, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Solves random lakes that have a plan, with 15 % to 25 % holes: lakes per second, median, 99th percentile and longest time, and how many
stayed undecided. Then judges the optimal plans, in agent steps per second, and generates training lakes of the same shape, a quarter
with a wait where these exist. Everything runs on one core. The same seed gives the same lakes.
`,
  examples: [
    ['icecore lake bench', 'Lakes of usual size, in a few seconds'],
    ['icecore lake bench --sizes 4 --agents 5 --count 10000', 'Crowded lakes'],
  ],
  options: {
    sizes: option('--sizes <list>', 'sizes of lakes', listOf(integer(3, 32)), { default: '8,10' }),
    agents: option('--agents <list>', 'numbers of agents', listOf(integer(1, 26)), { default: '2,3,4,5' }),
    count: option('--count <n>', 'lakes of each shape', integer(1, 1_000_000), { default: '2000' }),
    seed: option('--seed <text>', 'random seed: any text', filledText, { default: 'icecore' }),
  },
  run: async (context, _, options) => (await import('../lake/bench.ts')).bench(context, options),
});
