// icecore stage start: what is to be trained.
import type { CommandModule } from '../../command.ts';
import { withProgramOptions } from '../../program-options.ts';

const notes = `
Where there is no run of that name, it begins with the settings that are given; where there is one, it goes on, and the
settings, if there are any, must be those it began with: so the same command may stand in a loop. Typed again, it prints
the same.

What it prints is one line of JSON: configuration, budget, seed, the checkpoint to start from, a folder for what training
leaves, and the run and the stage. Where nothing is left to train, or a person is to decide first, it fails and says so.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore stage start mine --stages 3 --engineer rules --budget 200_000', 'Begin a run, or its next stage'],
    ['icecore stage start mine | python3 train.py > told.ndjson', 'Straight to a trainer'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('[run]', 'the name of the run; the last one, where nothing is given')
        .option('--stages <n>', 'how many stages (default: 5)')
        .option('--engineer <who>', 'who redesigns the environment (default: checkpoint)')
        .option('--context <form>', 'what the engineer is shown (default: abstract)')
        .option('--on-error <what>', 'when the engineer cannot answer: stop, retry or keep (default: stop)')
        .option('--environment <which>', 'lake, or a program (default: lake)')
        .option('--config <file>', 'the configuration of the first stage, as JSON')
        .option('--seed <n>', 'where chance comes from (default: 1)')
        .option('--policy <who>', 'who is trained: neural, base, a checkpoint, a model (default: neural)')
        .option('--budget <n>', 'decisions in a stage, or amounts by unit: updates=50 (default: 600_000)')
        .option('--record <what>', 'rollouts to record: all, evaluation (not training) or sample (default: all)')
        .option('--suite <name...>', 'benchmarks measured after every stage, or none (default: the first three)')
        .option('--tag <tag...>', 'words to find it by')
        .option('--notes <text>', 'what the run is for')
        .option('--file <file>', 'a run file: the same settings as JSON')
        .option('--jobs <n>', 'threads (default: as many as there are cores)')
        .option('--spending-cap <amount>', 'what all models together may cost'),
    ),
  run: async (context, command) => {
    const { stageStart } = await import('../../experiment/by-hand/stage-start.ts');
    return await stageStart(context, command.args[0], command.opts());
  },
};
