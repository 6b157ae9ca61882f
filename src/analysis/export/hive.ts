// The names of folders that say which part of a table is in them, as Hive writes them and Spark, Trino, DuckDB, Arrow and
// Polars read them: `run=first/stage=2`.

import { IcecoreError } from '../../../schemas/errors.ts';

/** Where the value is null. */
const none = '__HIVE_DEFAULT_PARTITION__';

/**
 * What Hive writes as %XX. Everything else stands as it is, also what is no ASCII: Hive and Spark take each %XX for a
 * character of its own.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is written otherwise
const special = /[\u0000-\u001f"#%'*/:=?\\\u007f{[\]^]/g;

/** Throws PartitionTooLong. */
export function partitionName(column: string, value: string | null): string {
  if (value === null || value === '') return `${column}=${none}`;
  const written = value.replace(special, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  const name = `${column}=${written}`;
  if (Buffer.byteLength(name) > longest) throw new PartitionTooLong(column, value);
  return name;
}

/** What file systems take for a name, in bytes. */
const longest = 255;

class PartitionTooLong extends IcecoreError {
  override readonly name = 'PartitionTooLong';

  constructor(column: string, value: string) {
    super('bad-input', `no folder can be called after the ${column} "${value.slice(0, 40)}…": the name is too long`, {
      facts: { column, value, longest },
      remedy:
        'Nothing was written. Write single files: tables with --format arrow or ndjson, events with --output FILE.',
    });
  }
}
