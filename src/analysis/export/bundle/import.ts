// Opens a bundle: unpacks it beside the ledger it is meant for, verifies what was unpacked, and copies it over as one ledger
// is copied into another. So nothing reaches the ledger that does not verify or belongs to another run, what is there already
// is not written again, and an import that was stopped is taken up by the next.
import type { BundleManifest } from '../../../../schemas/bundle.ts';
import { sweepAbove, withWorkingFolder } from '../../../base/temporary.ts';
import type { BlobSink } from '../../../ledger/copy/blob-copy.ts';
import { type Copied, type CopyStep, copyLedger, scopesOf } from '../../../ledger/copy/copy.ts';
import type { Extension } from '../../../ledger/copy/errors.ts';
import { type Ledger, lastEventOf } from '../../../ledger/ledger.ts';
import { isFault } from '../../../ledger/verify/findings.ts';
import { verifyOpened } from '../../../ledger/verify/verify.ts';
import { newAnswers, requireBelonging, requireFreeIds, requireMeant } from './belonging.ts';
import { BundleOfThisLedger, BundleUnsound } from './errors.ts';
import { requireManifest } from './manifest.ts';
import { Staging } from './staging.ts';
import { type Unpacked, unpack } from './unpack.ts';

export interface Into {
  readonly ledger: Ledger;
  readonly blobs: BlobSink;
}

export interface ImportOptions {
  /** Texts of the run that was packed, which it redacted, and which nothing else here names. */
  readonly erase?: boolean;
  /** Adds events also to runs and answers that are here already. */
  readonly extend?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: ImportStep) => Promise<void>;
}

export type ImportStep =
  | { readonly doing: 'unpacking'; readonly done: number; readonly of: number }
  | { readonly doing: 'verifying'; readonly done: number; readonly of: number | null }
  | CopyStep;

export interface Imported extends Unpacked {
  readonly checked: Checked;
  readonly copied: Copied;
  readonly extensions: readonly Extension[];
  /** Recorded answers that were not here. */
  readonly answers: number;
}

/** What a verification of the bundle found, that is no fault. */
interface Checked {
  /** Attempts that were compared with their seals. */
  readonly seals: number;
  /** How much evidence no seal vouches for: findings of kind unsealed, lost-attempt and after-seal. */
  readonly unsealed: number;
  /** Redactions without authority, which do not count. */
  readonly ignored: number;
}

/**
 * It is unpacked in the folder `near`, on the disk of the ledger it is meant for. `into` is called when the bundle was found
 * to be sound, and makes the ledger where there is none.
 */
export async function importBundle(
  file: AsyncIterable<Uint8Array>,
  near: string,
  into: <Result>(body: (into: Into) => Promise<Result>) => Promise<Result>,
  options: ImportOptions = {},
): Promise<Imported> {
  // An import that was killed may have made folders that it found missing.
  await sweepAbove(near);
  return await withWorkingFolder(near, async (folder) => {
    const staging = await Staging.in(folder);
    try {
      const unpacked = await unpack(file, { staging, folder }, telling(options, 'unpacking'));
      const checked = await requireSound(staging, unpacked.manifest, options);
      const arrived = await into((target) => copyInto(target, staging, unpacked.manifest, options));
      return { ...unpacked, checked, ...arrived };
    } finally {
      await staging.close();
    }
  });
}

function telling({ signal, onProgress }: ImportOptions, doing: 'unpacking') {
  return {
    ...(signal === undefined ? {} : { signal }),
    onProgress: async (done: number, of: number) => onProgress?.({ doing, done, of }),
  };
}

/** The bundle is what its manifest says, and all that is in it vouches for itself. */
async function requireSound(staging: Staging, manifest: BundleManifest, options: ImportOptions): Promise<Checked> {
  await requireManifest(staging, manifest);
  await requireBelonging(staging.ledger, manifest);
  const { ledger, blobs } = staging;
  const verified = await verifyOpened(ledger, {
    blobs: blobs.url,
    run: null,
    head: null,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onProgress: async ({ events: done }, of) => options.onProgress?.({ doing: 'verifying', done, of }),
  });
  const isExpected = (kind: string): boolean => kind === 'blob-missing' && manifest.lost > 0;
  const kept = verified.findings.filter(isFault);
  const unexpected = kept.filter(({ kind }) => !isExpected(kind));
  // Behind very many that are expected, others may hide.
  const hidden = verified.faults - kept.length;
  if (unexpected.length + hidden > 0) throw new BundleUnsound(unexpected, unexpected.length + hidden);
  const count = (...kinds: readonly string[]): number =>
    verified.findings.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    seals: verified.attempts,
    unsealed: count('unsealed', 'lost-attempt', 'after-seal'),
    ignored: count('redaction-ignored'),
  };
}

async function copyInto(
  { ledger, blobs }: Into,
  staging: Staging,
  manifest: BundleManifest,
  { erase = false, extend = false, signal, onProgress }: ImportOptions,
): Promise<Omit<Imported, keyof Unpacked | 'checked'>> {
  if (ledger.id === manifest.ledger) await requireThere(ledger, staging.ledger);
  const extensions = await requireMeant(staging.ledger, ledger, extend);
  await requireFreeIds(staging.ledger, ledger);
  const answers = await newAnswers(staging.ledger, ledger);
  const places = { from: staging.ledger, to: ledger, fromBlobs: staging.blobs, toBlobs: blobs };
  const copied = await copyLedger(places, {
    run: null,
    extend: true,
    erasing: { isAsked: erase, scopes: scopesOf(manifest.run.run) },
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return { copied, extensions, answers };
}

/** Where it is the ledger the bundle was made from, there is nothing to add. Throws BundleOfThisLedger. */
async function requireThere(ledger: Ledger, staged: Ledger): Promise<void> {
  for await (const ends of staged.streams()) {
    for (const { stream, revision } of ends) {
      const last = await lastEventOf(ledger, stream);
      if (last === null || last.revision < revision) throw new BundleOfThisLedger(ledger.url, stream);
    }
  }
}
