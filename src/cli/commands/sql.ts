import type { ValueType } from '../../library/plugins/command.ts';
import { choiceFrom, integer, orWord, path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';

const formats = choiceFrom(async () => (await import('../sql/options.ts')).allFormats);

const recipe: ValueType<string | true> = {
  parse: (typed) => typed,
  complete: async () => {
    const { recipes } = await import('../../library/sql/recipes.ts');
    return recipes.map(({ name, question }) => ({ value: name, about: question }));
  },
};

export const command = defineCommand({
  notes: `
Runs, stages, configurations, rollouts, failures, proposals and more are tables: icecore list tables lists them. docs/sql.md has
questions with their queries; --recipe runs one by its name. The tables are refreshed before each query. The SQL is DuckDB's.
Queries can only read: whatever would write, attach, or reach files and the network is refused.

Without a query, icecore sql reads one from standard input, or opens a prompt on a terminal (.help there lists its commands).
Tables and Markdown round numbers; CSV, JSON, Arrow and Parquet are exact. --path prints the path of a read-only copy of the
tables for notebooks and other programs. Programs that have an older copy open can go on reading it: duckdb.connect(path,
read_only=True).
`,
  examples: [
    ['icecore sql', 'Open a prompt'],
    ['icecore sql "SELECT run, state, done FROM runs"', 'Answer one query'],
    ['icecore sql --recipe families-by-stage', 'Answer a question of docs/sql.md about the last run'],
    ['icecore sql --file weak-families.sql --format csv > weak.csv', 'Answer the query in a file, as CSV'],
    ['icecore sql "FROM rollouts" --output rollouts.parquet', 'Write all rollouts as Parquet'],
    ['duckdb -readonly "$(icecore sql --path)" -c "FROM runs"', "The same in DuckDB's own shell"],
  ],
  args: {
    query: argument('[query]', 'the query; with --recipe: RUN or RUN@K, if the question is about one run', text),
  },
  options: {
    recipe: option('--recipe [name]', 'answer a question of docs/sql.md; without a name, list the questions', recipe),
    file: option('--file <file>', 'read the query from a file', path),
    format: option('--format <format>', 'table, csv, json, ndjson, markdown, arrow or parquet', formats, {
      otherwise: 'by the ending of the file, else table',
    }),
    output: option('--output <file>', 'write the answer to a file', path),
    limit: option('--limit <n>', 'maximum number of rows, or all', orWord(integer(1, 999_999_999), 'all'), {
      otherwise: '100 in tables and Markdown, 1000 in JSON, otherwise all',
    }),
    seconds: option('--seconds <n>', 'stop a query after this time', integer(1, 1_000_000), { default: '60' }),
    memory: option('--memory <megabytes>', 'memory limit of a query', integer(64, 1_000_000), { default: '1024' }),
    disk: option('--disk <megabytes>', 'temporary disk limit of a query', integer(1, 1_000_000), { default: '4096' }),
    path: flag('--path', 'print the path of a read-only copy of the tables'),
  },
  run: async (context, { query }, options) => (await import('../sql/sql.ts')).sql(context, options, query),
});
