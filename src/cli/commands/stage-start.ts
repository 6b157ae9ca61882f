import { argument, defineCommand } from '../command.ts';
import { jobsOption, programOptions, settingsOptions, spendingCapOption } from '../options.ts';
import { run } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Starts the run if there is none of that name, with the settings given here. Continues it otherwise: settings must then be those
it was started with, so the same command can stand in a loop. Repeated, it prints the same.

The output is one line of JSON: configuration, budget, seed, the checkpoint to start from, a folder for what training produces,
and the run and stage. The command fails when nothing is left to train or a person has to decide first.
`,
  examples: [
    ['icecore stage start mine --stages 3 --engineer rules --budget 200k', 'Start a run, or its next stage'],
    ['icecore stage start mine | python3 train.py > progress.ndjson', 'Pipe it to a trainer'],
  ],
  args: { run: argument('[run]', 'name of the run', run, { otherwise: 'latest' }) },
  options: { ...settingsOptions, jobs: jobsOption, spendingCap: spendingCapOption, ...programOptions },
  run: async (context, { run }, options) => (await import('../experiment/stage.ts')).stageStart(context, run, options),
});
