import { argument, defineCommand } from '../command.ts';
import { formatOption, verboseOption } from '../options.ts';
import { stage } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Show the knobs that changed, with the reasons of the decision on the second stage, the validation results by family and whether
their intervals overlap, the learning signal and the failures. For two runs it also shows their settings. One stage alone is
compared with the stage before it. If nothing differs, it says so.
`,
  examples: [
    ['icecore diff mine@2', 'Stage 2 against stage 1'],
    ['icecore diff mine@1 mine@3 --verbose', 'With everything that stayed the same'],
    ['icecore diff mine@3 other@3 --json | jq .knobs', 'Stages of two runs, for a program'],
  ],
  args: {
    stage: argument('<stage>', 'RUN@K', stage),
    other: argument('[other]', 'RUN@K', stage, { otherwise: 'compare with the stage before' }),
  },
  options: { verbose: { ...verboseOption, describe: 'show everything, and what is the same' }, format: formatOption },
  run: async (context, { stage, other }, options) =>
    (await import('../runs/diff.ts')).diff(context, [stage, other], options),
});
