// The documentation of the tables: the page docs/tables.md, and the same as data. Meanings come from the SQL files; types and
// the order of columns come from DuckDB, by making every table in memory.
import { withEmptyTables } from './projector/empty.ts';
import { rowsOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';

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

/** Every table that people see, in the order in which they are to be read, with its columns in theirs. */
export async function documentedTables(): Promise<readonly DocumentedTable[]> {
  const found = await withEmptyTables(tableDefinitions(), async (connection) => {
    return await rowsOf(
      connection,
      `SELECT table_name, column_name, data_type FROM duckdb_columns()
       WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
    );
  });
  const byTable = Map.groupBy(found, ({ table_name }) => table_name);
  // Macros have no columns.
  const shown = tableDefinitions().filter(({ columns }) => columns.length > 0);
  return shown.map(({ name, meaning, columns }) => {
    const meanings = new Map<unknown, string>(columns.map((column) => [column.name, column.meaning]));
    const its = (byTable.get(name) ?? []).map(({ column_name, data_type }) => ({
      name: String(column_name),
      type: String(data_type),
      meaning: meanings.get(column_name) ?? '',
    }));
    return { name, meaning, columns: its };
  });
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
