// The manifest of a bundle: what a file that holds a run says of itself. It is read again, elsewhere and years later, so its
// form is as binding as that of events.
import { z } from 'zod';
import { codeVersion } from './parts.ts';
import { count, digest, runId } from './primitives.ts';

export const bundleFormat = 'icecore-bundle/1';

export const bundledRun = z.strictObject({ run: runId, name: z.string() });

export const bundleManifest = z.strictObject({
  format: z.literal(bundleFormat),
  run: bundledRun.describe('the run that was packed'),
  ancestors: z
    .array(bundledRun)
    .describe('the runs whose history it shares, its parent first; they are packed as well'),
  missing: z.array(runId).describe('a run whose history it shares and that the ledger did not have'),
  ablations: z.array(runId).describe('the ablations that replay it or that it is an arm of'),
  ledger: z.string().describe('the identity of the ledger it was packed from'),
  code: codeVersion.nullable().describe('the code that ran; null where the run does not say'),
  events: count,
  streams: count,
  root: digest.describe(
    'the Merkle root over the digests of all its events, in their order: that of a ledger of these alone',
  ),
  blobs: count.describe('how many it holds'),
  lost: count.describe('how many its events name that were missing or damaged where it was packed'),
  elsewhere: z
    .array(z.string())
    .describe('checkpoints that are names: of a server, a folder, a hub. They are not in the bundle'),
  members: z
    .strictObject({
      count,
      bytes: count.describe('of all of them, unpacked'),
      listBytes: count.describe('of members.ndjson'),
      sha256: digest.describe('of members.ndjson, which names each of them with its size and SHA-256'),
    })
    .describe('what follows'),
  digest: digest.describe('of the canonical JSON of everything else that stands here'),
});

export type BundleManifest = z.infer<typeof bundleManifest>;
export type BundledRun = z.infer<typeof bundledRun>;

export const bundleMember = z.strictObject({
  name: z.string().regex(/^(?:blobs\/[0-9a-f]{64}|events\/[0-9]{9}\.ndjson)$/),
  bytes: count,
  sha256: digest,
});

export type BundleMember = z.infer<typeof bundleMember>;
