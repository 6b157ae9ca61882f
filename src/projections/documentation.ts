// The documentation of the tables: the page docs/tables.md, and the same as data. Meanings come from the SQL files; types come
// from DuckDB, by making every table in memory.
import type { DuckDBConnection } from '@duckdb/node-api';
import { withEmptyTables } from './projector/empty.ts';
import { rowsOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';
import type { TableDefinition } from './tables/definition.ts';

export interface DocumentedTable {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly DocumentedColumn[];
}

export interface DocumentedColumn {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
  readonly meaning: string;
}

/** Every table that people see, in the order in which they are to be read. */
export async function documentedTables(): Promise<readonly DocumentedTable[]> {
  return await withEmptyTables(tableDefinitions(), async (connection) => {
    const types = await typesIn(connection);
    return definitionsShown().map(({ name, meaning, columns }) => ({
      name,
      meaning,
      columns: columns.map((column) => ({ ...column, type: types.get(`${name}.${column.name}`) ?? 'none' })),
    }));
  });
}

/** Every column there is of the tables that people see, as table.column, in their order. */
export async function columnsThereAre(): Promise<readonly string[]> {
  return await withEmptyTables(tableDefinitions(), async (connection) => [...(await typesIn(connection)).keys()]);
}

/** Macros have no columns. */
function definitionsShown(): readonly TableDefinition[] {
  return tableDefinitions().filter(({ columns }) => columns.length > 0);
}

async function typesIn(connection: DuckDBConnection): Promise<ReadonlyMap<string, string>> {
  const columns = await rowsOf(
    connection,
    `SELECT table_name || '.' || column_name AS name, data_type FROM duckdb_columns()
     WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
  );
  return new Map(columns.map(({ name, data_type }) => [String(name), String(data_type)]));
}

const opening = `# Tables

The tables of \`icecore sql\`, generated from src/projections/tables by \`npm run schemas\`. \`run\` is the name of a run and
\`run_id\` its identity; stages count from 1; times are in UTC; shares are from 0 to 1. \`family\` is the task family a row is
about, and null where it is about all of them. \`stage\` of a summary, context, proposal, decision or change is the stage being
configured; \`evidence_through\` is the last stage with evidence for it. \`id\` is the event behind a row: \`icecore event show ID\` shows
it. A fork has only its own stages in most of these tables; the stages it shares are under the run that recorded them: join them
by \`lineage\`. Tables about the history of a run include them.`;

/** docs/tables.md */
export async function tableReference(): Promise<string> {
  const tables = await documentedTables();
  const overview = tables.map(({ name, meaning }) => `| [${name}](#${name}) | ${cell(firstSentence(meaning))} |`);
  return `${[
    opening,
    ['| table | what it holds |', '|---|---|', ...overview].join('\n'),
    ...tables.map(section),
    macroSection(),
  ].join('\n\n')}\n`;
}

function section({ name, meaning, columns }: DocumentedTable): string {
  const rows = columns.map((column) => `| \`${column.name}\` | ${cell(column.type)} | ${cell(column.meaning)} |`);
  return [`## ${name}`, '', meaning, '', '| column | type | what it means |', '|---|---|---|', ...rows].join('\n');
}

function macroSection(): string {
  const meanings = tableDefinitions().flatMap(({ columns, meaning }) => (columns.length === 0 ? [meaning] : []));
  return ['## Macros', ...meanings].join('\n\n');
}

function firstSentence(meaning: string): string {
  const [sentence] = meaning.split(/(?<=\.) (?=[A-Z])/);
  return sentence ?? meaning;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
