// Rows of an answer in SQL as a program gets them.
import type { ZodType } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import { found } from '../../../schemas/phrase.ts';

export interface SqlOptions<Row> {
  /** What every row has to be; its output is what a row becomes. */
  readonly schema?: ZodType<Row>;
}

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
