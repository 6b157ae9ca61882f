// Lists as every verb gives them: when they were made, and whether they are whole.
export interface Listing<Row> {
  as_of: string;
  total: number;
  rows: Row[];
  truncated: boolean;
}

/** All there are. */
export function listOf<Row>(rows: readonly Row[]): Listing<Row> {
  return { as_of: new Date().toISOString(), total: rows.length, rows: [...rows], truncated: false };
}
