import { integer, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { maxTokens } from '../lab-values.ts';
import { jobsOption, programOptions, settingsOptions, spendingCapOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

const { stages, engineer, context, seed, onError, tags, notes } = settingsOptions;
const asItWas = { otherwise: 'as it was' };

export const command = defineCommand({
  config: 'run',
  notes: `
Start a new run that shares the first stages of another one and continues with another engineer, context or seed. RUN@3 shares
stages 1 and 2 and decides stage 3 again. RUN@next, or RUN alone, shares all complete stages. All other settings stay. Nothing is
copied. A fork can be forked, and icecore resume continues it.
`,
  examples: [
    ['icecore fork mine@3 --engineer rules', 'Decide stage 3 again with another engineer'],
    ['icecore fork mine@3 --context v4 --name mine-v4', 'The same engineer, shown something else'],
    ['icecore fork mine --stages 8', 'Continue after the last stage until there are eight'],
  ],
  args: { run: argument('<run>', 'RUN@K, the stage to decide again, or RUN for the next one', runOrStage) },
  options: {
    engineer: { ...engineer, more: asItWas },
    context: { ...context, more: asItWas },
    contextTokens: option(
      '--max-tokens <n>',
      'maximum length of a context; 0 is unlimited',
      integer(0, maxTokens),
      asItWas,
    ),
    stages: { ...stages, describe: 'number of stages, shared ones included', more: asItWas },
    seed: { ...seed, more: asItWas },
    onError,
    name: option('--name <name>', 'name of the run', text, { otherwise: 'two words' }),
    tags,
    notes,
    jobs: jobsOption,
    spendingCap: spendingCapOption,
    ...programOptions,
  },
  run: async (context, { run }, options) => (await import('../experiment/run.ts')).fork(context, run, options),
});
