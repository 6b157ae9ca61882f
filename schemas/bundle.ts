// The manifest of a bundle: what a file that holds a run says about itself. Other installations read it, also years later, so
// its format is as binding as that of events.
import { z } from 'zod';
import { codeVersion } from './parts.ts';
import { count, digest, runId } from './primitives.ts';

export const bundleFormat = 'icecore-bundle/1';

export const bundledRun = z.strictObject({ run: runId, name: z.string() });

export const bundleManifest = z.strictObject({
  format: z.literal(bundleFormat),
  run: bundledRun.describe('the packed run'),
  ancestors: z.array(bundledRun).describe('the runs whose history it shares, the parent first; they are packed too'),
  missing: z.array(runId).describe('runs whose history it shares, but that were not in the ledger'),
  ablations: z.array(runId).describe('the ablations that replay it or that it is an arm of'),
  ledger: z.string().describe('the id of the source ledger'),
  code: codeVersion.nullable().describe('the version of the code; null: the run does not record it'),
  events: count,
  streams: count,
  root: digest.describe(
    'the Merkle root over the digests of all its events in order, as for a ledger of these events alone',
  ),
  blobs: count.describe('number of blobs in the bundle'),
  lost: count.describe('number of blobs that its events name but that were missing or damaged in the source'),
  elsewhere: z
    .array(z.string())
    .describe('checkpoints that are only names (of a server, a folder, a hub) and are not in the bundle'),
  members: z
    .strictObject({
      count,
      bytes: count.describe('of all members, unpacked'),
      listBytes: count.describe('of members.ndjson'),
      sha256: digest.describe('of members.ndjson, which lists each member with its size and SHA-256'),
    })
    .describe('what follows'),
  digest: digest.describe('of the canonical JSON of the other fields of the manifest'),
});

export type BundleManifest = z.infer<typeof bundleManifest>;
export type BundledRun = z.infer<typeof bundledRun>;

export const bundleMember = z.strictObject({
  name: z.string().regex(/^(?:blobs\/[0-9a-f]{64}|events\/[0-9]{9}\.ndjson)$/),
  bytes: count,
  sha256: digest,
});

export type BundleMember = z.infer<typeof bundleMember>;
