// The manifest of an export: what a folder of tables or events contains, its source, and the meaning of its columns.
// Programs read the folder, so the format is stable.
import { z } from 'zod';
import { bundledRun } from './bundle.ts';
import { count, digest } from './primitives.ts';

export const exportFormat = 'icecore-export/1';

const exportedFile = z.strictObject({
  path: z.string().describe('in the folder, with /'),
  rows: count,
  bytes: count,
  sha256: digest,
});

const exportedTable = z.strictObject({
  name: z.string(),
  meaning: z.string(),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      type: z.string().describe('as DuckDB writes it'),
      meaning: z.string(),
      partition: z.boolean().describe('true: it is in the names of folders and not in the files'),
    }),
  ),
  rows: count,
  files: z.array(exportedFile),
});

export const exportManifest = z.strictObject({
  format: z.literal(exportFormat),
  what: z.enum(['tables', 'events']),
  as: z.string().describe('the format of the files: parquet, arrow, ndjson, cloudevents'),
  icecore: z.string().describe('the version that wrote it'),
  ledger: z.string().describe('the identity of the ledger'),
  head: z
    .strictObject({
      events: count.describe('number of events it covers: the first ones of the ledger'),
      cursor: z.string().describe('of the last of these events'),
      digest: digest.nullable().describe('of the last of these events; null: there is none'),
    })
    .describe('the state of the source ledger'),
  runs: z.array(bundledRun).nullable().describe('the requested runs; null: all'),
  tables: z.array(exportedTable),
});

export type ExportManifest = z.infer<typeof exportManifest>;
export type ExportedTable = z.infer<typeof exportedTable>;
export type ExportedFile = z.infer<typeof exportedFile>;
