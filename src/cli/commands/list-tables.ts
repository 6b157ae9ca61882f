import { argument, defineCommand } from '../command.ts';
import { table } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run if trusted',
  notes: `
List the tables of icecore sql, or the columns of one table with their types and meanings. docs/tables.md has all of them.
`,
  examples: [
    ['icecore list tables', 'All tables'],
    ['icecore list tables rollouts', 'The columns of one'],
  ],
  args: { table: argument('[table]', 'a table', table, { otherwise: 'all' }) },
  run: async (context, { table }) => (await import('../registered.ts')).listTables(context, table),
});
