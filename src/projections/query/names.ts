// The names of tables, columns and functions, and those that a statement mentions: for completion and for errors about
// misspelt names.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Word } from '../../base/sql-lexer.ts';

/** Columns by table; a table of another schema than main is named `schema.table`. All as written. */
export type Tables = ReadonlyMap<string, readonly string[]>;

/** The schema of unqualified names. */
export const mainSchema = 'main';

/** Tables of main first; columns in the order of their definition. */
export async function columnsByTable(connection: DuckDBConnection): Promise<Tables> {
  const reader = await connection.runAndReadAll(
    `SELECT if(schema_name = '${mainSchema}', table_name, schema_name || '.' || table_name), list(column_name ORDER BY column_index)
     FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() GROUP BY schema_name, table_name
     ORDER BY schema_name <> '${mainSchema}', schema_name, table_name`,
  );
  return new Map(reader.getRowsJS().map(([table, columns]) => [String(table), (columns as unknown[]).map(String)]));
}

export const tablesOfMain = (tables: Tables): readonly string[] =>
  [...tables.keys()].filter((name) => !name.includes('.'));

/** Functions that can be used in expressions, without operators and internal ones. */
export async function computingFunctions(connection: DuckDBConnection): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')
     AND regexp_matches(function_name, '^[a-z]') AND function_name NOT LIKE 'icu_collate_%' ORDER BY function_name`,
  );
  return reader.getRows().map(([name]) => String(name));
}

export async function functionNames(connection: DuckDBConnection): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll('SELECT DISTINCT function_name FROM duckdb_functions()');
  return reader.getRows().map(([name]) => String(name));
}

export interface Mentioned {
  /** The names of tables, in the order they are mentioned. */
  readonly tables: readonly string[];
  /** Tables by the name they have in the statement, in lower case. */
  readonly called: ReadonlyMap<string, string>;
  /** Names of common table expressions. */
  readonly expressions: readonly string[];
}

const naming: ReadonlySet<string> = new Set(
  'FROM JOIN PIVOT PIVOT_WIDER UNPIVOT PIVOT_LONGER DESCRIBE DESC SUMMARIZE SHOW TABLE'.split(' '),
);
const clauses: ReadonlySet<string> = new Set(
  'SELECT WHERE GROUP ORDER HAVING QUALIFY ON USING LIMIT OFFSET WINDOW'.split(' '),
);

/** Found word by word, because no parser accepts incomplete statements. */
export function mentionedIn(all: readonly Word[], tables: Tables): Mentioned {
  const words = all.slice(all.findLastIndex(({ text }, index) => text === ';' && index < all.length - 1) + 1);
  const called = new Map<string, string>();
  const known = new Map([...tables.keys()].map((name) => [name.toLowerCase(), name]));
  let names = false;
  words.forEach(({ text }, index) => {
    if (naming.has(text)) names = true;
    if (clauses.has(text)) names = false;
    const before = words[index - 1]?.text ?? '';
    if (!names || !(naming.has(before) || before === ',' || before === '(')) return;
    const end = endOfName(words, index);
    const table = known.get(plainName(words.slice(index, end)));
    if (table === undefined) return;
    called.set(table.toLowerCase().replace(/^.*\./, ''), table);
    const alias = words[words[end]?.text === 'AS' ? end + 1 : end];
    if (alias !== undefined && isName(alias)) called.set(plain(alias), table);
  });
  return { tables: [...new Set(called.values())], called, expressions: expressionsIn(words) };
}

function expressionsIn(words: readonly Word[]): readonly string[] {
  if (!words.some(({ text }) => text === 'WITH')) return [];
  return words.flatMap((word, index) => {
    const isNamed = isName(word) && words[index + 1]?.text === 'AS' && words[index + 2]?.text === '(';
    return isNamed ? [plain(word)] : [];
  });
}

function endOfName(words: readonly Word[], from: number): number {
  return words[from + 1]?.text === '.' && words[from + 2] !== undefined ? endOfName(words, from + 2) : from + 1;
}

/** Without `main.`, because the rest of the name is unambiguous. */
const plainName = (words: readonly Word[]): string =>
  words
    .filter(({ text }) => text !== '.')
    .map(plain)
    .join('.')
    .replace(/^main\./, '');

const isName = ({ text }: Word): boolean => /^["\p{L}_]/u.test(text);
const plain = ({ text }: Word): string => text.replace(/^"([\s\S]*)"$/, '$1').toLowerCase();
