// icecore diff: what differs between two stages.
import type { CommandModule } from '../command.ts';

const notes = `
Shows the knobs that were turned (with the reasons that the decision on the second stage gives), the validation suite by
family and whether intervals overlap, the learning signal and the failures; of two runs also what they were set to. One stage
alone is held against the one before it. Where nothing differs it says so.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore diff mine@2', 'Stage 2 against stage 1'],
    ['icecore diff mine@1 mine@3 --all', 'With what stayed the same'],
    ['icecore diff mine@3 other@3 --json | jq .knobs', 'Of two runs, for a program'],
  ],
  declare: (command) =>
    command
      .argument('<stage>', 'RUN@STAGE')
      .argument('[other]', 'RUN@STAGE; without it, the first one is held against the stage before')
      .option('--all', 'show what is the same, too')
      .option('--md', 'print Markdown'),
  run: async (context, command) => {
    const { diff } = await import('../runs/diff.ts');
    return await diff(context, [command.args[0] ?? '', command.args[1]], command.opts());
  },
};
