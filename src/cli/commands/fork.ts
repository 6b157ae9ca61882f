// icecore fork: another course from a stage on.
import type { CommandModule } from '../command.ts';
import { withProgramOptions } from '../program-options.ts';

const notes = `
A new run that shares the history of another up to the end of a stage, and goes on from there with another engineer, form or
seed; all else is as it was. Nothing is copied: what is shared stands where it stands. A fork can be forked. It runs as with
icecore run, and goes on with icecore run --resume.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore fork mine@2 --engineer rules', 'From the end of stage 2 on, with another engineer'],
    ['icecore fork mine@2 --context v4 --name mine-v4', 'The same engineer, shown something else'],
    ['icecore fork mine --stages 8', 'On from the last stage, until there are eight'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('<run>', 'RUN@STAGE; RUN alone is its last stage that is over')
        .option('--engineer <who>', 'who redesigns the environment')
        .option('--context <form>', 'what the engineer is shown')
        .option('--context-tokens <n>', 'how long a context may be; 0: as long as it is')
        .option('--stages <n>', 'how many stages there are to be, those that are shared included')
        .option('--seed <n>', 'where chance comes from')
        .option('--on-error <what>', 'when the engineer cannot answer: stop, retry or keep')
        .option('--name <name>', 'what to call the run (default: two words)')
        .option('--tag <tag...>', 'words to find it by')
        .option('--notes <text>', 'what the run is for')
        .option('--jobs <n>', 'threads (default: as many as there are cores)')
        .option('--spending-cap <amount>', 'what all models together may cost'),
    ),
  run: async (context, command) => {
    const { fork } = await import('../experiment/by-hand/fork.ts');
    return await fork(context, command.args[0] ?? '', command.opts());
  },
};
