// What `icecore sql` prints as JSON: the rows of the result with its columns.
import { z } from 'zod';
import { count, moment } from './primitives.ts';

const value = z
  .json()
  .describe(
    'integers that a double cannot hold, decimals of more than 15 digits, NaN and infinities are strings; moments are ' +
      'RFC 3339, bytes are base64, a MAP is an object, a UNION an object of one member',
  );

export const sql = z.strictObject({
  as_of: moment,
  behind: count.describe('number of events that are not yet in the tables, because another process is updating them'),
  unknown: count.describe(
    'number of events whose type or version this icecore does not know; they are only in the table events',
  ),
  total: count.nullable().describe('total number of rows; null: more than in `rows`, not counted'),
  columns: z
    .array(
      z.strictObject({
        name: z.string().describe('the name of the column; the second column with the same name is called name_1'),
        type: z.string().describe('as DuckDB writes it'),
      }),
    )
    .describe('in order'),
  rows: z.array(z.record(z.string(), value)),
  truncated: z.boolean().describe('true: `rows` is incomplete'),
});

export const sqlRecipes = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(
    z.strictObject({
      name: z.string(),
      question: z.string(),
      columns: z.string().describe('what the columns mean that do not say it themselves'),
      sql: z.string().describe('replace RUN with the name of a run and STAGE with a stage'),
    }),
  ),
  truncated: z.boolean(),
});

/** The output of `icecore sql --json`: the rows of a result with its columns. */
export type SqlResult = z.infer<typeof sql>;
/** A value of a result. */
export type SqlValue = SqlResult['rows'][number][string];
/** The output of `icecore sql --recipe --json`: questions with their SQL. */
export type SqlRecipes = z.infer<typeof sqlRecipes>;
