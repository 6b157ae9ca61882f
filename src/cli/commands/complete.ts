// icecore __complete -- WORDS: what the completion scripts ask, with the words so far, the last of them unfinished. It
// answers a candidate a line, with its description behind a tab; `:files` asks the shell for file names instead.
import type { CommandModule } from '../command.ts';

export const command: CommandModule = {
  examples: [['icecore __complete -- tail --type Roll', 'Which event types begin with Roll']],
  declare: (command) => command.argument('[words...]'),
  run: async (context, command) => {
    const { complete } = await import('../completion/complete.ts');
    const candidates = await complete(context, command.args);
    await context.print(candidates.map(({ value, about }) => `${value}\t${about}\n`).join(''));
    return 0;
  },
};
