// A run as one file: what it will be, and its bytes, written as they were planned: the manifest, the list of members, the
// members in the order of their names.
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../../../ledger/blobs/errors.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RunFound } from '../../../ledger/runs.ts';
import { eventsOf } from './contents.ts';
import { ChangedMeanwhile } from './errors.ts';
import { listName, manifestName } from './manifest.ts';
import { partsOf } from './parts.ts';
import { type Plan, planOf } from './plan.ts';
import { sealed, type Taken } from './sealed-file.ts';
import { endOfTar, headerOf, paddingAfter } from './tar.ts';

interface BundleOptions {
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
  const of = plan.described.members.bytes;
  const made: Taken = { bytes: 0, sha256: null };
  const tar = packed(ledger, blobs, plan, {
    ...stopping,
    onProgress: async (done) => onProgress?.({ doing: 'packing', done, of }),
  });
  return { plan, file: sealed(tar, made), made };
}

interface PackOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number) => Promise<void>;
}

/** The tar, piece by piece. Throws ChangedMeanwhile. */
async function* packed(
  ledger: Ledger,
  blobs: Blobs | null,
  plan: Plan,
  { signal, onProgress }: PackOptions = {},
): AsyncGenerator<Uint8Array> {
  let done = 0;
  const tell = async (bytes: number): Promise<void> => {
    done += bytes;
    await onProgress?.(done);
    signal?.throwIfAborted();
  };
  yield* whole(manifestName, plan.manifest);
  yield* whole(listName, plan.list);
  for (const { name, bytes, sha256: blob } of plan.members) {
    if (!name.startsWith('blobs/')) break;
    yield headerOf(name, bytes);
    yield* blobPieces(blobs, blob, bytes);
    yield Buffer.alloc(paddingAfter(bytes));
    await tell(bytes);
  }
  for await (const text of parts(ledger, plan)) {
    yield* text;
    await tell(text[1].length);
  }
  yield endOfTar;
}

function whole(name: string, bytes: Buffer): readonly [header: Buffer, bytes: Buffer, padding: Buffer] {
  return [headerOf(name, bytes.length), bytes, Buffer.alloc(paddingAfter(bytes.length))];
}

async function* parts(ledger: Ledger, { contents, until, members }: Plan): AsyncGenerator<ReturnType<typeof whole>> {
  const planned = members.filter(({ name }) => name.startsWith('events/')).values();
  for await (const { name, text } of partsOf(eventsOf(ledger, contents.streams, until), () => undefined)) {
    const member = planned.next().value;
    if (member === undefined || member.name !== name || member.sha256 !== sha256(text))
      throw new ChangedMeanwhile(name);
    yield whole(name, text);
  }
  const left = planned.next().value;
  if (left !== undefined) throw new ChangedMeanwhile(left.name);
}

/** Its digest is checked by the store that reads it. */
async function* blobPieces(blobs: Blobs | null, blob: string, bytes: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const piece of blobs?.read(blob) ?? []) {
      read += piece.byteLength;
      yield piece;
    }
  } catch (error) {
    if (error instanceof BlobMissing || error instanceof BlobDamaged) throw new ChangedMeanwhile(`blobs/${blob}`);
    throw error;
  }
  if (read !== bytes) throw new ChangedMeanwhile(`blobs/${blob}`);
}
