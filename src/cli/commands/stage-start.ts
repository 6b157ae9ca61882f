import { argument, defineCommand } from '../command.ts';
import { jobsOption, programOptions, settingsOptions, spendingCapOption } from '../options.ts';
import { run } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Start the run with these settings if no run has the name; otherwise continue it, and then settings must equal those it was started
with. To start a run takes at least one setting, because a name alone may be misspelled. The same command can be used in a loop.
Repeating it prints the same.

The output is one line of JSON: run, stage, configuration, budget, seed, the checkpoint to start from, and a folder for the
results of training. The command fails when nothing is left to train or a person has to decide first.
`,
  examples: [
    ['icecore stage start mine --stages 3 --engineer rules --budget 200k', 'Start a run, or its next stage'],
    ['icecore stage start mine | python3 train.py > progress.ndjson', 'Pipe it to a trainer'],
  ],
  args: { run: argument('[run]', 'name of the run', run, { otherwise: 'latest' }) },
  options: { ...settingsOptions, jobs: jobsOption, spendingCap: spendingCapOption, ...programOptions },
  run: async (context, { run }, options) => (await import('../experiment/stage.ts')).stageStart(context, run, options),
});
