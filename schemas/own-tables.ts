// Tables that plugins define for their own events, as plain data: no code is needed to fill them. The definitions are stored with the
// tables of a ledger, so that a process without the plugin can fill and show them too.
import { z } from 'zod';
import { typeName } from './define-event.ts';

/** Two words or more, since one-word names are reserved for icecore's own tables. */
const tableName = /^(?!(?:duckdb|sqlite|pg|pragma|pivot|information)_)[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;
const columnName = /^[a-z][a-z0-9_]*$/;
const scalars = ['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'TIMESTAMP', 'JSON'] as const;
const columnTypes = scalars.flatMap((scalar) => [scalar, `${scalar}[]`] as const);
/** A JSON pointer: /measured/seconds */
const pointer = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** The columns that every plugin table has in addition to its own, with their meaning. */
export const sharedColumns = {
  run: 'the run it belongs to; null for none',
  stage: 'its stage; null for none',
  happened_at: 'when it happened (UTC)',
  actor: 'who did it, as kind/identity',
  id: 'the event: icecore event show ID shows it whole',
  stream: 'its stream',
  revision: 'its revision in the stream, from 0',
  version: 'the version of its type',
  run_id: 'the identity of the run',
} as const;

const ownColumn = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(columnName, 'lower-case letters, digits and _')
    .refine((name) => !(name in sharedColumns), `a name other than ${Object.keys(sharedColumns).join(', ')}`),
  type: z.enum(columnTypes),
  meaning: z.string().min(1).max(1000),
  from: z.array(z.string().max(512).regex(pointer, 'a JSON pointer')).min(1).max(16),
});

export const ownTable = z.strictObject({
  plugin: z.string().max(64),
  table: z
    .string()
    .max(64)
    .regex(tableName, 'words of lower-case letters and digits joined by _, two or more: acme_throttling'),
  summary: z.string().min(1).max(1000),
  type: z.string().max(128).regex(typeName, 'the type of an event that defineEvent declared'),
  columns: z.array(ownColumn).max(200),
});

export type ColumnType = (typeof columnTypes)[number];

/** A column of a plugin table. */
export type OwnColumn = Readonly<z.infer<typeof ownColumn>>;

/** A plugin table, as data. */
export interface OwnTable extends Omit<z.infer<typeof ownTable>, 'columns'> {
  readonly columns: readonly OwnColumn[];
}

/** The definitions stored with the tables. */
export const ownTables = z.strictObject({ format: z.literal(1), tables: z.array(ownTable).max(200) });
