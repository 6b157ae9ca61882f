// icecore show: a run with its stages, or one stage in full.
import type { CommandModule } from '../command.ts';

const notes = `
RUN is a name, an identity, the beginning of either, or latest. Of a run it shows what it was asked to do, a line a stage
(how training data are divided, the validation suite, the learning signal, how the policy fails), what changed before each
stage and who proposed it, alerts, benchmarks and notes. Of a stage, RUN@STAGE, it shows everything: each knob, each change
with its reasons and the evidence it cites, evaluations and failures by family, the course of training, and what the engineer
predicted beside what came. What nobody recorded is left out; and so is, as long as a person decides on the stages of a run,
what no engineer is ever shown: benchmarks, and what is held back to hold predictions against.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore show', 'The last run'],
    ['icecore show mine@2', 'Its second stage in full'],
    ["icecore show mine --json | jq '.stages[] | [.stage, .valid.value]'", 'For a program'],
  ],
  declare: (command) =>
    command
      .argument('[run]', 'RUN or RUN@STAGE; the last run, where it is missing')
      .option('--all', 'also what is left out while a person decides')
      .option('--md', 'print Markdown'),
  run: async (context, command) => {
    const { show } = await import('../runs/show.ts');
    return await show(context, command.args[0] ?? 'latest', command.opts());
  },
};
