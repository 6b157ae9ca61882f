// Rows of an answer in SQL as a program gets them.
import type { ZodType } from 'zod';
import { found, IcecoreError } from '../../../schemas/errors.ts';
import type { Format } from './formats/write.ts';

/** How the rows of an answer are typed. */
export interface SqlOptions<Row> {
  /** What every row has to be; its output is what a row becomes. */
  readonly schema?: ZodType<Row>;
}

/** The formats that an answer can be written in as a file. */
export type SqlFormat = Format | 'parquet';

/** An answer in a file. */
export interface SqlFileOptions {
  readonly format: SqlFormat;
  /** Rows at most; null for all; left out, what is usual for the format. */
  readonly limit?: number | null | undefined;
}

/** A row of an answer: values by column name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A row is not as its schema wants it. */
export class UnexpectedRow extends IcecoreError {
  override readonly name = 'UnexpectedRow';

  constructor(number: number, column: string, value: unknown, allowed: string) {
    super(
      'bad-input',
      `row ${number}, ${column === '' ? 'the row' : column}: found ${found(value)}, allowed: ${allowed}`,
      {
        facts: { row: number, field: column, found: value, allowed },
        remedy: 'Change the schema, or convert the column in the query: CAST(x AS DOUBLE).',
      },
    );
  }
}
