// What `icecore sql` prints as JSON: the rows of an answer with what its columns are.
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
  behind: count.describe(
    'how many events of the ledger the answer does not know yet, since another process kept the tables',
  ),
  unknown: count.describe(
    'how many events are of a type or version that this icecore does not know, and in no table but events',
  ),
  total: count.nullable().describe('how many rows there are; null: more than `rows` holds, and nobody counted them'),
  columns: z
    .array(
      z.strictObject({
        name: z.string().describe('of two columns of one name the second is called name_1'),
        type: z.string().describe('as DuckDB writes it'),
      }),
    )
    .describe('in their order'),
  rows: z.array(z.record(z.string(), value)),
  truncated: z.boolean().describe('true: there are more than `rows` holds'),
});

export const sqlRecipes = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(
    z.strictObject({
      name: z.string(),
      question: z.string(),
      sql: z.string().describe('RUN stands for the name of a run and STAGE for a stage'),
    }),
  ),
  truncated: z.boolean(),
});
