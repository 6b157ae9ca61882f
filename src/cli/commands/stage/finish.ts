// icecore stage finish: what came of a training.

import { again } from '../../again.ts';
import type { CommandModule } from '../../command.ts';
import { withProgramOptions } from '../../program-options.ts';

const notes = `
Records the training, with the checkpoint as a blob where it is a file, and goes on as icecore run does: it measures, gathers
evidence, asks the engineer and adopts, up to the next training. Stopped in between, icecore stage finish RUN goes on.

--curve is a file with what the trainer printed: the lines of docs/trainers.md, or of icecore lake train --json. They also
tell what was spent, how much there was to learn, and what was left; the options beat them. A file that they tell of has to be in
the folder that icecore stage start named; any other checkpoint is named with --checkpoint.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore stage finish mine --checkpoint out/final.safetensors', 'The least there is to say'],
    ['icecore stage finish mine --curve told.ndjson', 'What the trainer printed says which checkpoint'],
    ['icecore stage finish mine --checkpoint adapter-7 --spent tokens=5_000_000 --signal 40/96', 'A name, and figures'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('[run]', 'RUN or RUN@STAGE (default: the last run)')
        .option('--checkpoint <what>', 'what training left: a file, a folder, or a name that a server knows')
        .option('--curve <file>', 'what the trainer printed')
        .option('--spent <amounts>', 'what it took, by unit: agent-steps=30_000,updates=26')
        .option(
          '--signal <counts>',
          'in how many sample groups rewards differed: 24/96, or 8=24/96 for family 8',
          again,
        )
        .option(
          '--on-error <what>',
          'when the engineer cannot answer: stop, retry or keep (default: as the run was begun)',
        )
        .option('--jobs <n>', 'threads (default: as many as there are cores)')
        .option('--spending-cap <amount>', 'what all models together may cost'),
    ),
  run: async (context, command) => {
    const { stageFinish } = await import('../../experiment/by-hand/stage-finish.ts');
    return await stageFinish(context, command.args[0], command.opts());
  },
};
