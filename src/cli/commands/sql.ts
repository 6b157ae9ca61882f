// icecore sql: questions in SQL, answered from the tables.
import type { CommandModule } from '../command.ts';

const notes = `
Tables hold runs, stages, configurations, rollouts, failures, proposals and the rest as rows: icecore sql --tables lists them,
docs/sql.md has questions and their queries. They are brought up to date with the ledger before a question is answered; the
SQL is DuckDB's. Questions only read: whatever would write, attach, or reach files and the network is refused.

Without a query, icecore sql reads one from standard input, or, on a terminal, asks for them one after the other (.help there
says what it knows). Tables and Markdown round numbers; CSV, JSON, Arrow and Parquet are exact. --path prints the path of a copy
of the tables for notebooks and other programs. It is replaced when there is something new, and never changes under whoever
has it open: duckdb.connect(path, read_only=True).
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore sql', 'Asks for questions'],
    ['icecore sql "SELECT run, state, done FROM runs"', 'Answers one'],
    ['icecore sql --file weak-families.sql --format csv > weak.csv', 'Answers that of a file, as CSV'],
    ['icecore sql "FROM rollouts" --output rollouts.parquet', 'Writes all rollouts as Parquet'],
    ['icecore sql --tables rollouts', 'Says what the columns of a table mean'],
    ['duckdb -readonly "$(icecore sql --path)" -c "FROM runs"', "The same in DuckDB's own shell"],
  ],
  declare: (command) =>
    command
      .argument('[query]', 'the question')
      .option('--file <file>', 'read the question from a file')
      .option('--format <name>', 'table, csv, json, ndjson, markdown, arrow or parquet')
      .option('--output <file>', 'write the answer to a file; its ending says the format')
      .option('--limit <n>', 'at most so many rows, or all; 100 in tables and Markdown, 1000 in JSON, elsewhere all')
      .option('--seconds <n>', 'stop a question after so long; 60, where it is missing')
      .option('--memory <megabytes>', 'let a question have so much memory; 1024, where it is missing')
      .option('--disk <megabytes>', 'let it have so much temporary disk; 4096, where it is missing')
      .option('--tables [name]', 'list the tables, or say what the columns of one mean')
      .option('--path', 'print the path of a copy of the tables for other programs'),
  run: async (context, command) => {
    const { sql } = await import('../sql/sql.ts');
    return await sql(context, command.opts(), command.args[0]);
  },
};
