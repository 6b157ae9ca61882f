// Lists as every verb returns them: with their time, and whether they are complete.
export interface Listing<Row> {
  as_of: string;
  total: number;
  rows: Row[];
  truncated: boolean;
}

/** A complete list. */
export function listOf<Row>(rows: readonly Row[]): Listing<Row> {
  return { as_of: new Date().toISOString(), total: rows.length, rows: [...rows], truncated: false };
}
