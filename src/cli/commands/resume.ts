import { defineCommand, flag } from '../command.ts';
import { jobsOption, leaseOption, onErrorOption, programOptions, runArgument, spendingCapOption } from '../options.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Continue a run that was stopped, failed, or waits for a decision. The run keeps its settings and reaches the same result as
without the interruption, if its programs are the same. A completed run is only shown. To continue with other settings, use
icecore fork.

Programs start in the current folder. A warning names each file in the commands of the trainer and the environment that has changed
since the last recorded training; icecore show lists it. Changes to files that these load, and to packages, are not noticed.
`,
  examples: [
    ['icecore resume', 'The last run'],
    ['icecore resume mine --on-error keep', 'Continue although the engineer still fails'],
  ],
  args: { run: runArgument },
  options: {
    onError: onErrorOption,
    workersOnly: flag('--workers-only', 'leave all rollouts to workers'),
    leaseSeconds: leaseOption,
    jobs: jobsOption,
    spendingCap: spendingCapOption,
    ...programOptions,
  },
  run: async (context, { run }, options) => (await import('../experiment/run.ts')).resume(context, run, options),
});
