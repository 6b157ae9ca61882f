import { integer, path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { engineer, context as form, maxTokens } from '../lab-values.ts';
import { jobsOption, programOptions, spendingCapOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

const asTheRun = { otherwise: 'that of the run' };

export const command = defineCommand({
  config: 'run',
  notes: `
Ask an engineer for the configuration of a stage: the engineer of the run or any other, with any context. RUN@3 asks for stage 3
and shows what was recorded through stage 2. RUN@next, or RUN alone, asks for the stage after the last complete one.

The answer is recorded with the run, but nothing is adopted and the run is not changed. A run that a process works on is refused.
--dry-run records nothing, except the answers of models: they are paid for, and asking again costs nothing.

--output writes the proposal to a file, which icecore adopt accepts, edited or not. If the engineer proposes nothing usable, the
exit code is 1 and no file is written.
`,
  examples: [
    ['icecore propose mine@3 --engineer rules', 'What the rules propose for stage 3'],
    [
      'icecore propose mine@next --engineer gpt --context v4 --output next.json',
      'What a model proposes, in a file to adopt',
    ],
    ['icecore propose mine@3 --engineer "python3 easier.py" --dry-run', 'Try a program and record nothing'],
    ['icecore propose mine@3 --engineer gpt --sample 1', 'Ask for another answer to the same question'],
  ],
  args: {
    run: argument('[run]', 'RUN or RUN@K', runOrStage, { otherwise: 'the next decision of the last run' }),
  },
  options: {
    engineer: option('--engineer <who>', 'who is asked: a name or a program', engineer, asTheRun),
    context: option('--context <form>', 'what the engineer is shown; + joins modules', form, asTheRun),
    contextTokens: option(
      '--max-tokens <n>',
      'maximum length of the context; 0 is unlimited',
      integer(0, maxTokens),
      asTheRun,
    ),
    sample: option('--sample <n>', 'which of several answers to the same question', integer(0, 1_000_000), {
      default: '0',
    }),
    output: option('--output <file>', 'write the proposal to a file for icecore adopt', path),
    dryRun: flag('--dry-run', 'record nothing'),
    jobs: jobsOption,
    spendingCap: spendingCapOption,
    ...programOptions,
  },
  run: async (context, { run }, options) => (await import('../experiment/decide.ts')).propose(context, run, options),
});
