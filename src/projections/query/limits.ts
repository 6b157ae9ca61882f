// What one question may take.

export interface Limits {
  readonly memoryMegabytes: number;
  /** Of DuckDB's work on one question; the time its rows are looked at does not count. */
  readonly seconds: number;
  /** Of temporary disk, which only Parquet needs; left out: as much as there is. */
  readonly diskMegabytes?: number;
}

/** Of the memory of a question, which may have all of it besides: where rows become a Parquet file. What does not fit goes to
 * the disk. */
export const scratchShare = 0.5;
