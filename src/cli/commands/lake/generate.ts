// icecore lake generate: instances.
import { Option } from 'commander';
import type { CommandModule } from '../../command.ts';

const notes = `
Writes an instance a line: {"id", "size", "holes", "agents", "digest", "cost", "needsWait"}. All are solvable, cost is that
of an optimal plan, and needsWait says whether in every optimal plan somebody waits. The same configuration, split, count
and seed give the same lines on every machine, with any number of jobs.

A configuration says how many agents there are and, by size, which share of the instances has that size, which share of
its cells are holes, and which share of its instances needs a wait:

  {"agents": 2, "sizes": {"4": {"data": 0.5, "hole": 0.1, "wait": 0},
                          "8": {"data": 0.5, "hole": 0.2, "wait": 0.5}}}

Without one, all sizes from 3 to 10 come alike. Which split a lake belongs to follows from what it is, turned and mirrored
alike: whatever is generated for training is in no test suite.

Of some kinds there are few or none, small lakes in which somebody has to wait above all. What could not be met is told on
standard error and, with --report, as JSON. For training, lakes that differ in waiting stand in; otherwise there are fewer.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake generate --count 1000 > train.ndjson', 'Lakes to train on'],
    ['icecore lake generate --config config.json --split validation --seed 7', 'From a configuration'],
    [
      'icecore lake generate --suite agents-3-wait-50 > suite.ndjson',
      'A benchmark suite, which is the same for everybody',
    ],
    ['icecore lake generate --probe --count 2 --agents 3', 'Two of every kind there is, for probing a policy'],
  ],
  declare: (command) =>
    command
      .option('--config <file>', 'the configuration, as JSON')
      .option('--agents <n>', 'the number of agents, whatever the configuration says')
      .option('--count <n>', 'how many; with --probe, of each kind (default: 100; with --probe 4)')
      .option('--seed <text>', 'where the lakes come from (default: icecore)')
      .addOption(
        new Option('--split <split>', 'what they are for: train unless told otherwise').choices([
          'train',
          'validation',
          'probe',
          'probe-holdout',
          'test',
        ]),
      )
      .option('--probe', 'so many of every kind: each size, with few holes and many, with a wait and without')
      .option('--suite <name>', 'a benchmark suite')
      .option('--suites', 'list the suites')
      .option('--report <file>', 'write what could not be met here')
      .option('--jobs <n>', 'threads (default: as many as there are cores)'),
  run: async (context, command) => {
    const { generate } = await import('../../lake/generate.ts');
    return await generate(context, command.opts());
  },
};
