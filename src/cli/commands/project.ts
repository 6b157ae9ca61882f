// icecore project: brings the tables that SQL asks up to date with the ledger.
import type { CommandModule } from '../command.ts';

const notes = `
Tables are computed from the events and can be thrown away: they lie in a folder beside the ledger (ledger.tables), or where
ICECORE_TABLES says. icecore sql brings them up to date by itself; this does it beforehand, or all the time.

--rebuild makes a new file beside the one in use and puts it in its place when it is done; whoever queries meanwhile sees the
old one. What is broken off changes nothing, and is gone on with next time.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore project', 'Adds what the tables lack'],
    ['icecore project --follow', 'Adds events as they are recorded, until Ctrl-C'],
    ['icecore project --rebuild', 'Makes all tables anew'],
  ],
  declare: (command) =>
    command.option('--rebuild', 'make all tables anew').option('--follow', 'stay, and add what is recorded'),
  run: async (context, command) => {
    const { projectTables } = await import('../tables/project.ts');
    return await projectTables(context, command.opts());
  },
};
