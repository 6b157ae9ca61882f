import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { signal, spent } from '../lab-values.ts';
import { jobsOption, onErrorOption, programOptions, spendingCapOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Record the training, with the checkpoint as a blob if it is a file. Then measure the policy, gather evidence, ask the engineer and
adopt the next configuration, as icecore run does. If the command is stopped, repeat icecore stage finish RUN to continue.

--curve names a file with the output of the trainer: the lines of docs/trainers.md, or of icecore lake train --json. They can
also give training rollouts, which are recorded, the spent budget, the learning signal and the checkpoint; options beat them. A file
they name must be in the folder that icecore stage start printed. Name any other checkpoint with --checkpoint.
`,
  examples: [
    ['icecore stage finish mine --checkpoint out/final.safetensors', 'Only the checkpoint'],
    ['icecore stage finish mine --curve progress.ndjson', 'The output of the trainer names the checkpoint'],
    [
      'icecore stage finish mine --checkpoint adapter-7 --spent tokens=5M --signal 40/96',
      'A name on a server, with figures',
    ],
  ],
  args: { run: argument('[run]', 'RUN or RUN@K', runOrStage, { otherwise: 'latest' }) },
  options: {
    checkpoint: option(
      '--checkpoint <what>',
      'what training produced: a file, a folder, or a name that a server knows',
      path,
    ),
    curve: option('--curve <file>', 'output of the trainer', path),
    spent: option('--spent <amounts>', 'what training took, by unit: agent-steps=30_000,updates=26', spent),
    learningSignal: option(
      '--signal <counts>',
      'sample groups whose rewards differ: 24/96, or 8=24/96 for family 8',
      signal,
      {
        again: true,
      },
    ),
    onError: onErrorOption,
    jobs: jobsOption,
    spendingCap: spendingCapOption,
    ...programOptions,
  },
  run: async (context, { run }, options) => (await import('../experiment/stage.ts')).stageFinish(context, run, options),
});
