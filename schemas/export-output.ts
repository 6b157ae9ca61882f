// What `icecore export ... --json` and `icecore import ... --json` print.
import { z } from 'zod';
import { bundledRun } from './bundle.ts';
import { count, digest, runId } from './primitives.ts';

const path = z.string().describe('a path on the machine the command ran on');
const ledgerUrl = z.string().describe('the URL of the ledger');
const seconds = z.number().nonnegative();

/** What both say of a bundle. */
export const bundled = z.strictObject({
  run: bundledRun,
  ancestors: z.array(bundledRun).describe('the runs whose history it shares, its parent first; they are in the bundle'),
  missing: z
    .array(runId)
    .describe('a run whose history it shares, and that the ledger it was packed from did not have'),
  ablations: z.array(runId),
  events: count,
  streams: count,
  blobs: count,
  lost: count.describe('blobs that events name and that were missing or damaged where the bundle was made'),
  elsewhere: z.array(z.string()).describe('checkpoints that are names of something the bundle cannot bring'),
  root: digest.describe('the Merkle root over the digests of all its events, in their order'),
});

export const exportBundle = z.strictObject({
  ledger: ledgerUrl,
  bundle: path.nullable().describe('null: it went to standard output'),
  ...bundled.shape,
  lostBlobs: z.array(digest),
  bytes: count.describe('of the file'),
  unpacked: count.describe('bytes of what is in it'),
  sha256: digest.describe('of the file'),
  seconds,
});

export const importBundle = z.strictObject({
  ledger: ledgerUrl,
  made: z.boolean().describe('true: there was no ledger, and one was made'),
  bundle: z.string().describe('as it was named'),
  sha256: digest.describe('of the file'),
  from: z.string().describe('the identity of the ledger it was packed from'),
  ...bundled.shape,
  added: count.describe('events that were not there'),
  addedBlobs: count.describe('blobs that were not there'),
  seconds,
});

export const exportTables = z.strictObject({
  ledger: ledgerUrl,
  folder: path,
  as: z.enum(['parquet', 'arrow', 'ndjson']),
  replaced: z.boolean().describe('true: an earlier export of the same ledger was there'),
  events: count.describe('how many events of the ledger the tables know'),
  behind: count.describe('how many they lack, since another process kept the tables'),
  runs: z.array(bundledRun).nullable().describe('the runs that were asked for; null: all'),
  tables: z.array(z.strictObject({ name: z.string(), rows: count, files: count, bytes: count })),
  leftOut: z.array(z.string()).describe('tables that are not of single runs, where runs were asked for'),
  rows: count,
  files: count,
  bytes: count,
  seconds,
});

export const exportEvents = z.strictObject({
  ledger: ledgerUrl,
  to: path,
  as: z.enum(['ndjson', 'cloudevents', 'parquet', 'arrow']),
  replaced: z.boolean().describe('true: an earlier export of the same ledger was there'),
  runs: z.array(bundledRun).nullable().describe('the runs that were asked for; null: all'),
  events: count,
  files: count,
  bytes: count,
  texts: count.describe('that were written beside'),
  missing: count.describe('texts that are erased or lost'),
  seconds,
});

export type Bundled = z.infer<typeof bundled>;
export type ExportEventsResult = z.infer<typeof exportEvents>;
export type ExportTablesResult = z.infer<typeof exportTables>;
export type ExportBundleResult = z.infer<typeof exportBundle>;
export type ImportBundleResult = z.infer<typeof importBundle>;
