// What `icecore export ... --json` and `icecore import ... --json` print.
import { z } from 'zod';
import { bundledRun } from './bundle.ts';
import { count, digest, name, runId, stream } from './primitives.ts';

export const path = z.string().describe('a path on the machine the command ran on');
export const ledgerUrl = z.string().describe('the URL of the ledger');
const seconds = z.number().nonnegative();

/** The part that exports and imports of bundles share. */
const bundled = z.strictObject({
  run: bundledRun,
  ancestors: z.array(bundledRun).describe('the runs whose history it shares, the parent first; they are in the bundle'),
  missing: z.array(runId).describe('runs whose history it shares, but that were not in the source ledger'),
  ablations: z.array(runId),
  events: count,
  streams: count,
  blobs: count,
  lost: count.describe('blobs that events name but that were missing or damaged in the source'),
  elsewhere: z.array(z.string()).describe('checkpoints that are only names and not in the bundle'),
  root: digest.describe('the Merkle root over the digests of all its events in order'),
});

export const exportBundle = z.strictObject({
  ledger: ledgerUrl,
  bundle: path.nullable().describe('null: written to standard output'),
  ...bundled.shape,
  lostBlobs: z.array(digest),
  ownStreams: z
    .array(stream)
    .describe('streams x-… of the ledger, which are not in the bundle, since they belong to no run'),
  bytes: count.describe('the size of the file'),
  unpacked: count.describe('bytes of the unpacked content'),
  sha256: digest.describe('of the file'),
  seconds,
});

const redactedText = {
  blob: digest,
  event: z.string().describe('the event that contained the text'),
  stream: z.string().describe('the stream of that event'),
  field: z.string(),
  by: z.string().describe('the Redacted event'),
} as const;

/** The redacted texts of a copy or an import; the first thousand in each list. */
export const redactedTexts = z
  .strictObject({
    erased: z.array(z.strictObject(redactedText)).describe('with --erase: texts whose blobs were erased'),
    erasable: z.array(z.strictObject(redactedText)).describe('without --erase: texts whose blobs it would erase'),
    left: z
      .array(z.strictObject({ ...redactedText, why: z.string() }))
      .describe('texts whose blobs are here, and are not erased with --erase either'),
  })
  .describe('texts that are redacted in the source but present here');

export const importBundle = z.strictObject({
  ledger: ledgerUrl,
  made: z.boolean().describe('true: a new ledger was created'),
  bundle: z.string().describe('the bundle as given'),
  sha256: digest.describe('of the file'),
  from: z.string().describe('the id of the source ledger'),
  ...bundled.shape,
  added: count.describe('new events'),
  addedBlobs: count.describe('new blobs'),
  answers: count.describe('new recorded model answers; later runs do not ask these questions again'),
  ignored: count.describe('redactions in the bundle that were ignored because they have no authority'),
  extended: z
    .array(z.strictObject({ of: z.string(), events: count }))
    .describe('with --extend: what was here already, and how many events were missing'),
  seals: count.describe('attempts checked against their seals'),
  unsealed: count.describe('findings of kind unsealed, lost-attempt and after-seal: evidence that no seal covers'),
  redacted: redactedTexts,
  seconds,
});

export const importNdjson = z.strictObject({
  ledger: ledgerUrl,
  file: z.string().describe('the file as given'),
  dryRun: z.boolean().describe('true: everything was checked and nothing was written'),
  records: count,
  runs: z.array(
    z.strictObject({
      run: runId,
      name,
      stages: count,
      rollouts: count,
      configurations: count,
      measurements: count,
      added: count.describe('new events; 0: the whole run was imported before'),
    }),
  ),
  added: count.describe('new events'),
  seconds,
});

export const exportTables = z.strictObject({
  ledger: ledgerUrl,
  folder: path,
  as: z.enum(['parquet', 'arrow', 'ndjson']),
  replaced: z.boolean().describe('true: it replaced an earlier export of the same ledger'),
  events: count.describe('number of events in the tables'),
  behind: count.describe('number of events missing in the tables, because another process is updating them'),
  unknown: count.describe(
    'number of events whose type or version this icecore does not know; they are only in the table events',
  ),
  runs: z.array(bundledRun).nullable().describe('the requested runs; null: all'),
  tables: z.array(z.strictObject({ name: z.string(), rows: count, files: count, bytes: count })),
  leftOut: z.array(z.string()).describe('tables that do not belong to single runs, if runs were requested'),
  rows: count,
  files: count,
  bytes: count,
  seconds,
});

export const exportEvents = z.strictObject({
  ledger: ledgerUrl,
  to: path,
  as: z.enum(['ndjson', 'cloudevents', 'parquet', 'arrow']),
  replaced: z.boolean().describe('true: it replaced an earlier export of the same ledger'),
  runs: z.array(bundledRun).nullable().describe('the requested runs; null: all'),
  events: count,
  files: count,
  bytes: count,
  texts: count.describe('texts written to separate files'),
  missing: count.describe('erased or lost texts'),
  seconds,
});

export type RedactedTextsResult = z.infer<typeof redactedTexts>;
export type Bundled = z.infer<typeof bundled>;
/** The output of `icecore export events --json`: what was written, and how many texts are missing. */
export type ExportEventsResult = z.infer<typeof exportEvents>;
/** The output of `icecore export tables --json`: the written tables with their rows and files. */
export type ExportTablesResult = z.infer<typeof exportTables>;
/** The output of `icecore export bundle --json`: the packed run and the SHA-256 of the file. */
export type ExportBundleResult = z.infer<typeof exportBundle>;
/** The output of `icecore import bundle --json`: the content of the bundle, and what of it was new here. */
export type ImportBundleResult = z.infer<typeof importBundle>;
/** The output of `icecore import ndjson --json`: the imported runs and the number of new events. */
export type ImportNdjsonResult = z.infer<typeof importNdjson>;
