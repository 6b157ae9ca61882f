// The rows of an SQL answer for programs.
import type { ZodType } from 'zod';
import { found, IcecoreError } from '../../../schemas/errors.ts';
import type { Standing } from '../../projections/current-tables.ts';
import type { Format } from './formats/write.ts';

/** How the rows of an answer are typed. */
export interface SqlOptions<Row> {
  /** The schema of every row; rows are its output. */
  readonly schema?: ZodType<Row>;
}

/** The file formats of answers. */
export type SqlFormat = Format | 'parquet';

/** How to write an answer to a file. */
export interface SqlFileOptions {
  readonly format: SqlFormat;
  /** Maximum number of rows; null for all (default: depends on the format). */
  readonly limit?: number | null | undefined;
}

/** How to write an answer to a sink. */
export interface SqlWriteOptions extends SqlFileOptions {
  /** Whether a text table may have colours (default false). */
  readonly colours?: boolean;
  /** What a table says about how to get the rows that were left out. */
  readonly more?: string;
  /** Called before the first row with how up to date the tables are. */
  readonly onStanding?: (standing: Standing) => Promise<void>;
}

/** A row of an answer: values by column name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Thrown when a row does not match its schema. */
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
