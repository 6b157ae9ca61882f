// By which definitions tables are filled, as the file of tables itself says it. Apart from the layout of tables, since the
// process of a question has no other use for the catalogue, and loads in half the time without it.
import type { DuckDBConnection } from '@duckdb/node-api';

export async function filledIn(connection: DuckDBConnection): Promise<string> {
  const asked = await connection.runAndReadAll(
    "SELECT views, (SELECT list(name || ' ' || digest) FROM log.definitions) FROM log.meta",
  );
  const [views, fills] = asked.getRowsJS()[0] ?? [];
  return markText(String(views), (fills ?? []) as readonly string[]);
}

/** `fills`: a name and a digest for every table that is stored. */
export function markText(views: string, fills: readonly string[]): string {
  return [views, ...[...fills].sort()].join('\n');
}
