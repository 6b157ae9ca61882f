// Quoting for SQL.

export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name with any characters. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A file path: DuckDB treats names as patterns, which could match other files. */
function quoteFile(path: string): string {
  return quote(path.replace(/[*?[]/g, '[$&]'));
}

export function fileList(paths: readonly string[]): string {
  return `[${paths.map(quoteFile).join(', ')}]`;
}
