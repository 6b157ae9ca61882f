// What `icecore tables refresh --json`, `icecore list tables --json` and `icecore sql --path --json` print.
import { z } from 'zod';
import { ledgerUrl } from './export-output.ts';
import { from } from './list-output.ts';
import { count, moment } from './primitives.ts';

const tables = z.string().describe('the file of tables, on the machine the command ran on');
const filled = {
  added: count.describe('how many of them were added now'),
  unread: count.describe('how many of all events cannot be read, and are in no table: icecore verify tells which'),
  unknown: z
    .array(z.strictObject({ type: z.string(), version: z.number().int(), events: count }))
    .describe('events of types or versions that this icecore does not know, which are in no table but events'),
  built: z.string().nullable().describe('why all tables were made anew; null where they were not'),
  remade: z.array(z.string()).describe('tables that were made anew because they are defined otherwise than before'),
  seconds: z.number().nonnegative(),
};

export const project = z
  .strictObject({
    ledger: ledgerUrl,
    tables,
    events: count.describe('how many events of the ledger the tables know'),
    ...filled,
  })
  .describe('with --follow, a line each time the tables have grown');

export const sqlPath = z.strictObject({
  path: z.string().describe('a copy of the tables, on the machine the command ran on: it is replaced, never written'),
  events: count.describe('how many events of the ledger it knows'),
  behind: count.describe('how many it lacks, since another process kept the tables'),
  unknown: filled.unknown,
});

export const sqlTables = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(
    z.strictObject({
      name: z.string(),
      meaning: z.string(),
      from,
      columns: z.array(
        z.strictObject({ name: z.string(), type: z.string().describe('as DuckDB writes it'), meaning: z.string() }),
      ),
    }),
  ),
  truncated: z.boolean(),
});

/** What `icecore tables refresh --json` prints: how far the tables follow the ledger. */
export type ProjectResult = z.infer<typeof project>;
/** What `icecore sql --path --json` prints: a copy of the tables that other programs can open. */
export type TablesCopy = z.infer<typeof sqlPath>;
/** What `icecore list tables --json` prints: the tables, with their columns and what they mean. */
export type ListTables = z.infer<typeof sqlTables>;
