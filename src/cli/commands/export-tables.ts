import { choice, listOf, path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { run, table } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Refresh the tables and write them as files. icecore list tables lists them, docs/tables.md explains their columns.

Parquet is partitioned in Hive style: rollouts, failures and events by run and stage, as in
rollouts/run=first/stage=2/data_0.parquet, all other tables by run. Run and stage are in the names of folders and not in the
files, where Spark, Trino, DuckDB, Arrow and Polars look for them. Arrow and NDJSON are one file per table. icecore-export.json
describes the content and names the ledger.

The folder must be missing, empty, or an earlier export of the same ledger, which is replaced as a whole.
`,
  examples: [
    ['icecore export tables --output warehouse', 'All tables, all runs'],
    ['icecore export tables rollouts failures --output evidence --run first-run,by-rule', 'Two tables of two runs'],
    ['icecore export tables --output paper --tag paper --format arrow', 'Runs with a tag, as Arrow files'],
    [
      `duckdb -c "FROM read_parquet('warehouse/rollouts/**/*.parquet', hive_partitioning = true) LIMIT 5"`,
      'Read it with another DuckDB',
    ],
  ],
  args: { tables: argument('[table...]', 'tables; all without one', table) },
  options: {
    output: option('--output <folder>', 'the folder to write', path, { required: true }),
    format: option('--format <format>', 'parquet, arrow or ndjson', choice(['parquet', 'arrow', 'ndjson']), {
      default: 'parquet',
    }),
    runs: option('--run <run,...>', 'only these runs: names, starts of names, or identities', listOf(run)),
    tag: option('--tag <tag>', 'only runs with this tag', text),
  },
  run: async (context, { tables }, options) =>
    (await import('../export/tables.ts')).exportTablesInto(context, { ...options, tables }),
});
