// Queries that views ask of the SQL tables.

/** What GET /sql answers, with the rows that the query is known to give. */
export interface SqlAnswer<Row> {
  readonly rows: readonly Row[];
  readonly truncated: boolean;
}

export function sqlPath(query: string, limit: number): string {
  return `/sql?limit=${limit}&query=${encodeURIComponent(query)}`;
}

/** A text in a query. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
