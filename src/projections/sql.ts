// The little of SQL that is written around other SQL.

export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name, whatever letters it has. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A file to read, as it is called: DuckDB takes names for patterns, which may fit other files as well. */
function quoteFile(path: string): string {
  return quote(path.replace(/[*?[]/g, '[$&]'));
}

export function fileList(paths: readonly string[]): string {
  return `[${paths.map(quoteFile).join(', ')}]`;
}
