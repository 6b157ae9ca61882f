import { passable } from '../../../schemas/compare-output.ts';
import { completed, listOf, share, tag, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { suite } from '../lab-values.ts';
import { formatOption, verboseOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Compare runs. RUN@K is the run up to stage K. Without a stage, runs are compared at the last stage that all of them have
completed. The output shows which settings differ, how good each run got on validation and in how many stages, and what it cost;
then how much better each run is than the first one, or than --against RUN.

Two runs are compared task by task where both recorded the result of each task, otherwise family by family. Runs that differ only in their seed form an arm; with --by, runs with the same values of the
named settings do. Arms are compared in pairs of runs with the same seed, and within each seed task by task. p is corrected for
the number of comparisons. An inconclusive comparison does not show that two runs are equal: only --margin can.

Runs on other tasks or another environment, with another budget, policy or trainer, or with errors of the engineer are not
compared: the output says why and, where an option helps, which. The exit code is 1 if nothing could be compared.
`,
  examples: [
    ['icecore compare by-rule by-gpt', 'Two runs'],
    ['icecore compare --tag paper', 'All runs with a tag, paired by seed'],
    ['icecore compare --tag study --by engineer --against fixed-1', 'Engineers, whatever the other settings are'],
    ['icecore compare mine@1 mine@4 --suite probe', 'Two stages, task by task'],
    [
      'icecore compare --tag paper --margin 0.02 --format md > table.md',
      'Which are equivalent within two points, as Markdown',
    ],
  ],
  args: { runs: argument('[run...]', 'RUN or RUN@K, two or more', runOrStage) },
  options: {
    tag: option('--tag <tag>', 'all runs with this tag', tag),
    against: option('--against <run>', 'baseline that the others are compared with', runOrStage, {
      otherwise: 'the first run',
    }),
    suite: option('--suite <name>', 'compare by this suite, or by the probe pool: probe', suite),
    measure: option('--measure <name>', 'compare by this measure: valid, optimal', text),
    by: option('--by <settings>', 'settings that tell arms apart: engineer,context', listOf(text)),
    margin: option(
      '--margin <share>',
      'treat smaller differences as equivalent: 0.02',
      share(0, 'For two percentage points, write --margin 0.02.'),
    ),
    despite: option(
      '--despite <what>',
      'compare although these differ: environment, budget, policy, trainer; or although an engineer failed: errored',
      listOf(completed(text, () => passable.map((value) => ({ value, about: '' })))),
    ),
    all: flag('--all', 'also list equal settings, and benchmarks, which are hidden while a person decides on a run'),
    verbose: verboseOption,
    format: formatOption,
  },
  run: async (context, { runs }, options) => (await import('../compare/compare.ts')).compare(context, runs, options),
});
