// A run as one file: what it will be, and its bytes.
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RunFound } from '../../../ledger/runs.ts';
import { packed } from './pack.ts';
import { type Plan, planOf } from './plan.ts';
import { sealed, type Taken } from './sealed-file.ts';

export interface BundleOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: BundleStep) => Promise<void>;
}

export type BundleStep =
  | { readonly doing: 'reading'; readonly done: number; readonly of: null }
  | { readonly doing: 'packing'; readonly done: number; readonly of: number };

export interface Bundle {
  readonly plan: Plan;
  readonly file: AsyncIterable<Uint8Array>;
  /** What the file came to, when it was read to its end. */
  readonly made: Taken;
}

/** Nothing is written yet. Throws DamagedEvent, BlobsLost. */
export async function bundleOf(
  ledger: Ledger,
  blobs: Blobs | null,
  run: RunFound,
  { signal, onProgress }: BundleOptions = {},
): Promise<Bundle> {
  const stopping = signal === undefined ? {} : { signal };
  const plan = await planOf(ledger, blobs, run, {
    ...stopping,
    onProgress: async (done) => onProgress?.({ doing: 'reading', done, of: null }),
  });
  const of = plan.told.members.bytes;
  const made: Taken = { bytes: 0, sha256: null };
  const tar = packed(ledger, blobs, plan, {
    ...stopping,
    onProgress: async (done) => onProgress?.({ doing: 'packing', done, of }),
  });
  return { plan, file: sealed(tar, made), made };
}
