import { defineCommand, flag } from '../command.ts';

export const command = defineCommand({
  notes: `
Fill the SQL tables. They are computed from events and can be deleted. They are in a folder beside the ledger (ledger.tables), or
where ICECORE_TABLES says. icecore sql refreshes them by itself; this command does it in advance, or continuously.

--rebuild makes a new file and swaps it in at the end; queries meanwhile see the old one. An interrupted rebuild changes nothing
and continues next time.
`,
  examples: [
    ['icecore tables refresh', 'Add what the tables lack'],
    ['icecore tables refresh --follow', 'Add events as they are recorded, until Ctrl-C'],
    ['icecore tables refresh --rebuild', 'Make all tables again'],
  ],
  options: {
    rebuild: flag('--rebuild', 'make all tables again'),
    follow: flag('--follow', 'stay and add events as they are recorded'),
  },
  run: async (context, _, options) => (await import('../tables/project.ts')).projectTables(context, options),
});
