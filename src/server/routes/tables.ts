// Routes about the SQL tables, and about what is registered.

import { z } from 'zod';
import { outputs } from '../../../schemas/output.ts';
import { listedRecipes } from '../../library/sql/recipes.ts';
import type { Workspace } from '../../library/workspace.ts';
import type { Call } from '../operation.ts';
import { type AnswerForm, flag, given, jsonRoute, type ParametersOf, streamRoute, text, whole } from '../route.ts';

const sqlAnswers: readonly [AnswerForm, AnswerForm] = [
  { media: 'application/json', schema: outputs.sql, describe: 'as icecore sql --json' },
  { media: 'application/vnd.apache.arrow.stream', schema: null, describe: 'an Arrow IPC stream, with format=arrow' },
];

const ofSql = {
  query: z.string().min(1).max(1_000_000).describe("a query in DuckDB's SQL, which can only read"),
  format: z.enum(['json', 'arrow']).optional().describe('default: json'),
  limit: whole(1, 100_000_000).optional().describe('maximum number of rows (default: 1000 in JSON, all in Arrow)'),
};

/** Limits of time, memory and disk are those of icecore sql. */
async function answer(
  workspace: Workspace,
  { query, format = 'json', limit }: ParametersOf<typeof ofSql>,
  { signal, write }: Call<Uint8Array>,
): Promise<void> {
  // A copy: the process of the query uses its buffer again.
  const sink = {
    isTTY: false,
    columns: 80,
    write: (bytes: string | Uint8Array) => write(Uint8Array.from(Buffer.from(bytes))),
  };
  await workspace.writeSql(query, sink, { format, ...given({ limit }), signal });
}

const sql = { path: '/sql', kind: 'query', answers: sqlAnswers, run: answer } as const;

export const sqlOfUrl = streamRoute({
  ...sql,
  name: 'sql',
  // Longer ones do not fit into a URL.
  parameters: { ...ofSql, query: ofSql.query.max(10_000) },
  summary: 'Answer an SQL query, which ends when the client leaves',
});

export const sqlOfBody = streamRoute({
  ...sql,
  name: 'sqlPost',
  parameters: ofSql,
  method: 'POST',
  summary: 'The same with the query as the body',
  body: { media: ['application/sql', 'text/plain'], describe: 'the query', parameter: 'query' },
});

export const recipes = jsonRoute({
  name: 'recipes',
  path: '/recipes',
  summary: 'Questions about runs and curricula with their SQL',
  parameters: {},
  answer: outputs['sql-recipes'],
  describe: 'as icecore sql --recipe --json: RUN stands for the name of a run, STAGE for a stage',
  run: async () => listedRecipes(),
});

export const tables = jsonRoute({
  name: 'tables',
  path: '/tables',
  summary: 'The SQL tables with the meaning of their columns',
  parameters: {},
  answer: outputs['list-tables'],
  describe: 'as icecore list tables --json',
  run: (workspace) => workspace.tables(),
});

export const table = jsonRoute({
  name: 'table',
  path: '/tables/{table}',
  summary: 'One SQL table with the meaning of its columns',
  parameters: { table: text },
  answer: outputs['list-tables'],
  describe: 'as icecore list tables NAME --json',
  run: (workspace, { table }) => workspace.tables(table),
});

export const refresh = jsonRoute({
  name: 'refresh',
  path: '/tables/refresh',
  method: 'POST',
  access: 'admin',
  summary: 'Refresh the SQL tables, which the server does by itself, or rebuild them',
  parameters: { rebuild: flag.optional().describe('make all tables again') },
  answer: outputs['tables-refresh'],
  describe: 'as icecore tables refresh --json',
  run: (workspace, options, signal) => workspace.refresh({ ...given(options), signal }),
});

export const engineers = jsonRoute({
  name: 'engineers',
  path: '/engineers',
  summary: 'The engineers that can redesign an environment',
  parameters: {},
  answer: outputs['list-engineers'],
  describe: 'as icecore list engineers --json',
  run: (workspace, _, signal) => workspace.engineers({ signal }),
});

export const contexts = jsonRoute({
  name: 'contexts',
  path: '/contexts',
  summary: 'The forms and modules of contexts',
  parameters: {},
  answer: outputs['list-contexts'],
  describe: 'as icecore list contexts --json',
  run: (workspace) => workspace.contexts(),
});

export const environments = jsonRoute({
  name: 'environments',
  path: '/environments',
  summary: 'The environments with their families, knobs and benchmarks',
  parameters: {},
  answer: outputs['list-environments'],
  describe: 'as icecore list environments --json',
  run: (workspace, _, signal) => workspace.environments({ signal }),
});
