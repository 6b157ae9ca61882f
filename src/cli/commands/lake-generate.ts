import { choice, integer, path } from '../../library/plugins/values.ts';
import { defineCommand, flag, option } from '../command.ts';
import { suite } from '../lab-values.ts';
import { lakeAgents, lakeConfig, lakeSeed, splits } from '../lake-options.ts';
import { jobsOption } from '../options.ts';

export const command = defineCommand({
  notes: `
Writes one instance per line: {"id", "size", "holes", "agents", "digest", "cost", "needsWait"}. All are solvable, cost is that of an
optimal plan, and needsWait says whether some agent waits in every optimal plan. The same configuration, split, count and seed give
the same lines on every machine, with any number of jobs.

A configuration has the number of agents and, by size, the share of instances of that size, the share of cells that are holes, and the
share of instances that need a wait:

  {"agents": 2, "sizes": {"4": {"data": 0.5, "hole": 0.1, "wait": 0},
                          "8": {"data": 0.5, "hole": 0.2, "wait": 0.5}}}

Without one, all sizes from 3 to 10 are equally frequent. The split of a lake follows from its content, also turned or mirrored: what
is generated for training is in no test suite.

Some kinds are rare or do not exist, above all small lakes that need a wait. What could not be generated is reported on standard error
and, with --report, as JSON. For training, lakes with another wait take their place; otherwise there are fewer.
`,
  examples: [
    ['icecore lake generate --count 1000 > train.ndjson', 'Lakes to train on'],
    ['icecore lake generate --config config.json --split validation --seed 7', 'From a configuration'],
    ['icecore lake generate --suite agents-3-wait-50 > suite.ndjson', 'A benchmark suite, the same for everybody'],
    ['icecore lake generate --probe --count 2 --agents 3', 'Two of every kind, to probe a policy'],
  ],
  options: {
    config: lakeConfig,
    agents: lakeAgents,
    count: option('--count <n>', 'how many; with --probe, of each kind', integer(0, 100_000_000), {
      otherwise: '100; 4 with --probe',
    }),
    seed: lakeSeed,
    split: option('--split <split>', 'what they are for', choice(splits), { otherwise: 'train' }),
    probe: flag('--probe', 'generate every kind: each size, with few and many holes, with and without a wait'),
    suite: option('--suite <name>', 'generate a benchmark suite', suite),
    suites: flag('--suites', 'list the suites'),
    report: option('--report <file>', 'write what could not be generated to a file', path),
    jobs: jobsOption,
  },
  run: async (context, _, options) => (await import('../lake/generate.ts')).generate(context, options),
});
