import { integer } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { context as form, maxTokens } from '../lab-values.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Print exactly what an engineer is shown for a decision. RUN@3 is the decision that configures stage 3: its context
has nothing later than stage 2. The form decides what it shows: combined shows the last stage, forms with history earlier ones, too. RUN@next, or RUN alone, is the decision after the last complete stage.

A recorded context is printed as it was recorded. Any other form or length is built from the same history and not recorded. Hidden
probe tasks and benchmarks are never part of it. Reasons can cite its evidence ids. A line on standard error says how long it is
and what was truncated.

icecore list contexts describes the forms and modules. Modules joined by + are a form too: failures+stats.
`,
  examples: [
    ['icecore context', 'For the next decision of the last run'],
    ['icecore context mine@3 --context v4 --max-tokens 4_000', 'What v4 would show for stage 3'],
    ['icecore context mine@3 --json | jq .evidenceIds', 'The evidence ids that can be cited, with their events'],
  ],
  args: {
    run: argument('[run]', 'RUN or RUN@K', runOrStage, { otherwise: 'the next decision of the last run' }),
  },
  options: {
    context: option('--context <form>', 'a form; + joins modules', form, { otherwise: 'that of the run' }),
    contextTokens: option('--max-tokens <n>', 'maximum length; 0 is unlimited', integer(0, maxTokens), {
      otherwise: 'that of the run',
    }),
  },
  run: async (context, { run }, options) => (await import('../experiment/decide.ts')).context(context, run, options),
});
