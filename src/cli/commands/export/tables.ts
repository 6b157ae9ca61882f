// icecore export tables: the tables that icecore sql asks, as files for other programs.
import { Option } from 'commander';
import type { CommandModule } from '../../command.ts';

const notes = `
The tables are brought up to date first; icecore sql --tables lists them, docs/tables.md says what their columns mean.

Parquet is cut as Hive cuts it: rollouts, failures and events by run and stage, as in
rollouts/run=first/stage=2/data_0.parquet, all other tables by run. Those columns stand in the names of folders and not in
the files, where Spark, Trino, DuckDB, Arrow and Polars look for them. Arrow and NDJSON are one file a table.
icecore-export.json says what is there, from which ledger, and what it means.

The folder must be empty, missing, or an earlier export of the same ledger, which is then replaced as a whole.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore export tables --to warehouse', 'All tables, all runs'],
    ['icecore export tables rollouts failures --to evidence --runs first-run,by-rule', 'Two tables of two runs'],
    ['icecore export tables --to paper --tag paper --format arrow', 'Runs with a tag, as Arrow files'],
    [
      `duckdb -c "FROM read_parquet('warehouse/rollouts/**/*.parquet', hive_partitioning = true) LIMIT 5"`,
      'Read it with another DuckDB',
    ],
  ],
  declare: (command) =>
    command
      .argument('[table...]', 'the tables; all of them where none is named')
      .requiredOption('--to <folder>', 'the folder they go into')
      .addOption(
        new Option('--format <format>', 'parquet, arrow or ndjson')
          .choices(['parquet', 'arrow', 'ndjson'])
          .default('parquet'),
      )
      .option('--runs <run,...>', 'only these runs, by name, the beginning of one, or identity')
      .option('--tag <tag>', 'only runs with this tag'),
  run: async (context, command) => {
    const { exportTablesInto } = await import('../../export/tables.ts');
    return await exportTablesInto(context, command.args, command.opts());
  },
};
