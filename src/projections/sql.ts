// The little of SQL that is written around other SQL.

export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
