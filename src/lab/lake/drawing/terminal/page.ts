// Where a drawing in letters will be read.

export interface Page {
  readonly colour: boolean;
  /** Columns. What can not be drawn in so few is as wide as it must be. */
  readonly width: number;
}
