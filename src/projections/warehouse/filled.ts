// The definitions that a file's tables are filled by, as stored in the file. Separate from the layout, because the
// process of a query does not need the catalogue and loads twice as fast without it.
import type { DuckDBConnection } from '@duckdb/node-api';

export async function filledIn(connection: DuckDBConnection): Promise<string> {
  const row = await connection.runAndReadAll(
    "SELECT views, (SELECT list(name || ' ' || digest) FROM log.definitions) FROM log.meta",
  );
  const [views, fills] = row.getRowsJS()[0] ?? [];
  return markText(String(views), (fills ?? []) as readonly string[]);
}

/** `fills` has a name and a digest for every stored table. */
export function markText(views: string, fills: readonly string[]): string {
  return [views, ...[...fills].sort()].join('\n');
}
