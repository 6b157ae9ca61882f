// What `icecore export ... --json` and `icecore import ... --json` print.
import { z } from 'zod';
import { bundledRun } from './bundle.ts';
import { count, digest, name, runId, stream } from './primitives.ts';

export const path = z.string().describe('a path on the machine the command ran on');
export const ledgerUrl = z.string().describe('the URL of the ledger');
const seconds = z.number().nonnegative();

/** What both say of a bundle. */
const bundled = z.strictObject({
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
  ownStreams: z
    .array(stream)
    .describe('streams x-… of the ledger: they belong to no run, and a bundle has none of them'),
  bytes: count.describe('of the file'),
  unpacked: count.describe('bytes of what is in it'),
  sha256: digest.describe('of the file'),
  seconds,
});

const redactedText = {
  blob: digest,
  event: z.string().describe('the event whose text it is'),
  stream: z.string().describe('of that event'),
  field: z.string(),
  by: z.string().describe('the Redacted event that says so'),
} as const;

/** Of a copy or an import; the first thousand of each list. */
export const redactedTexts = z
  .strictObject({
    erased: z.array(z.strictObject(redactedText)).describe('with --erase: whose blobs were erased'),
    erasable: z.array(z.strictObject(redactedText)).describe('without --erase: whose blobs it would erase'),
    left: z
      .array(z.strictObject({ ...redactedText, why: z.string() }))
      .describe('whose blobs are there, and are not erased with --erase either'),
  })
  .describe('texts that were redacted where they come from, and that are here');

export const importBundle = z.strictObject({
  ledger: ledgerUrl,
  made: z.boolean().describe('true: there was no ledger, and one was made'),
  bundle: z.string().describe('as it was named'),
  sha256: digest.describe('of the file'),
  from: z.string().describe('the identity of the ledger it was packed from'),
  ...bundled.shape,
  added: count.describe('events that were not there'),
  addedBlobs: count.describe('blobs that were not there'),
  answers: count.describe(
    'recorded answers of models that were not there; a later run asks none of these questions again',
  ),
  ignored: count.describe('redactions in it that have no authority, and were ignored'),
  extended: z
    .array(z.strictObject({ of: z.string(), events: count }))
    .describe('with --extend: what was here already, and how many events it did not have'),
  seals: count.describe('attempts held against their seals'),
  unsealed: count.describe('findings of kind unsealed, lost-attempt and after-seal: evidence that no seal vouches for'),
  redacted: redactedTexts,
  seconds,
});

export const importNdjson = z.strictObject({
  ledger: ledgerUrl,
  file: z.string().describe('as it was named'),
  dryRun: z.boolean().describe('true: everything was checked, and nothing written'),
  records: count,
  runs: z.array(
    z.strictObject({
      run: runId,
      name,
      stages: count,
      rollouts: count,
      configurations: count,
      measurements: count,
      added: count.describe('events that were not there; 0: all of the run was imported before'),
    }),
  ),
  added: count.describe('events that were not there'),
  seconds,
});

export const exportTables = z.strictObject({
  ledger: ledgerUrl,
  folder: path,
  as: z.enum(['parquet', 'arrow', 'ndjson']),
  replaced: z.boolean().describe('true: an earlier export of the same ledger was there'),
  events: count.describe('how many events of the ledger the tables know'),
  behind: count.describe('how many they lack, since another process kept the tables'),
  unknown: count.describe(
    'how many events are of a type or version that this icecore does not know, and in no table but events',
  ),
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

export type RedactedTextsResult = z.infer<typeof redactedTexts>;
export type Bundled = z.infer<typeof bundled>;
/** What `icecore export events --json` prints: what was written, and how many texts are missing. */
export type ExportEventsResult = z.infer<typeof exportEvents>;
/** What `icecore export tables --json` prints: the tables that were written, with their rows and files. */
export type ExportTablesResult = z.infer<typeof exportTables>;
/** What `icecore export bundle --json` prints: the run that was packed, and the SHA-256 of the file. */
export type ExportBundleResult = z.infer<typeof exportBundle>;
/** What `icecore import bundle --json` prints: what the bundle holds, and what of it was new here. */
export type ImportBundleResult = z.infer<typeof importBundle>;
/** What `icecore import ndjson --json` prints: the imported runs, and how many events were new. */
export type ImportNdjsonResult = z.infer<typeof importNdjson>;
