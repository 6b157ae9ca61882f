// What `icecore tables refresh --json`, `icecore list tables --json` and `icecore sql --path --json` print.
import { z } from 'zod';
import { ledgerUrl } from './export-output.ts';
import { from } from './list-output.ts';
import { count, moment } from './primitives.ts';

const tables = z.string().describe('the file of tables, on the machine the command ran on');
const filled = {
  added: count.describe('number of events added now'),
  unread: count.describe('number of unreadable events, which are in no table; icecore verify lists them'),
  unknown: z
    .array(z.strictObject({ type: z.string(), version: z.number().int(), events: count }))
    .describe('number of events whose type or version this icecore does not know; they are only in the table events'),
  built: z.string().nullable().describe('why all tables were rebuilt; null: they were not'),
  remade: z.array(z.string()).describe('tables that were rebuilt because their definition changed'),
  seconds: z.number().nonnegative(),
};

export const project = z
  .strictObject({
    ledger: ledgerUrl,
    tables,
    events: count.describe('number of events in the tables'),
    ...filled,
  })
  .describe('with --follow, a line after each update of the tables');

export const sqlPath = z.strictObject({
  path: z
    .string()
    .describe('a copy of the tables on the machine the command ran on; it is replaced as a whole, never changed'),
  events: count.describe('number of events in it'),
  behind: count.describe('number of events missing in it, because another process is updating the tables'),
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

/** The output of `icecore tables refresh --json`: how far the tables follow the ledger. */
export type ProjectResult = z.infer<typeof project>;
/** The output of `icecore sql --path --json`: a copy of the tables that other programs can open. */
export type TablesCopy = z.infer<typeof sqlPath>;
/** The output of `icecore list tables --json`: the tables with their columns and what they mean. */
export type ListTables = z.infer<typeof sqlTables>;
