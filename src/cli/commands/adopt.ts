import { path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { actorOption, programOptions } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Record your decision on the configuration of the next stage, with your reasons. FILE is the output of icecore propose --output,
edited or not. It can also be a JSON file with nothing but the whole configuration, in the same form. Reasons in the file count
unless --reason gives others; an engineer's reasons for values that you changed are left out. Missing or invalid values are named
and refused, and so is a file made for an older configuration. No value is filled in or changed.

A reason belongs to a knob. If the file does not change the knob, it is recorded as kept on purpose. --cite names the
evidence ids of the context behind a reason (icecore context shows them): ID for all reasons, KNOB=ID for one.

Then continue with icecore resume, or icecore stage start. A run whose engineer is human waits for this decision.
`,
  examples: [
    ["icecore adopt next.json --reason '8.hole: too many falls' --cite F3", 'With a reason and its evidence'],
    ['icecore adopt next.json --run mine@3 --cite 8.hole=F3 --cite 3.data=B3.valid', 'With evidence for single knobs'],
    ['icecore adopt next.json --actor human/ada', 'Record the decision of another person'],
  ],
  args: { file: argument('<file>', 'a configuration, or a file written by icecore propose', path) },
  options: {
    reason: option('--reason <reason>', "why a knob is changed or kept, as 'KNOB: TEXT'; repeatable", text, {
      again: true,
    }),
    cite: option('--cite <id>', 'evidence id behind a reason: ID or KNOB=ID; repeatable', text, { again: true }),
    run: option('--run <run>', 'RUN or RUN@K; only the next decision can be adopted', runOrStage, {
      otherwise: 'the run that the file was made for, or latest',
    }),
    actor: actorOption,
    ...programOptions,
  },
  run: async (context, { file }, options) => (await import('../experiment/decide.ts')).adopt(context, file, options),
});
