// icecore init: a home and a ledger, ready to be written to.
import type { CommandModule } from '../command.ts';

const notes = `
The home is the folder .icecore here, or ICECORE_HOME. With --ledger, the ledger is made there instead, and
icecore.config.json says so from now on; not in a folder that uses another ledger already. What exists already is left
as it is.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore init', 'Here'],
    ['icecore init --ledger sqlite:/data/experiments.db', 'With the ledger on another disk'],
  ],
  declare: (command) => command,
  run: async (context) => {
    const { init } = await import('../init.ts');
    return await init(context);
  },
};
