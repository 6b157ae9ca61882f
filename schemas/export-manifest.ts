// The manifest of an export: what a folder of tables or events holds, where it came from and what its columns mean. Programs
// that read the folder may rely on its form.
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
      partition: z.boolean().describe('true: it stands in the names of folders, and not in the files'),
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
      events: count.describe('how many events of the ledger it knows: the first ones'),
      cursor: z.string().describe('of the last of them'),
      digest: digest.nullable().describe('of the last of them; null where there is none'),
    })
    .describe('the state of the ledger it was made from'),
  runs: z.array(bundledRun).nullable().describe('the runs that were asked for; null: all'),
  tables: z.array(exportedTable),
});

export type ExportManifest = z.infer<typeof exportManifest>;
export type ExportedTable = z.infer<typeof exportedTable>;
export type ExportedFile = z.infer<typeof exportedFile>;
