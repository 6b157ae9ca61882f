// Bundles: a run with everything it needs, as one file that another ledger can import.
import { dirname, resolve } from 'node:path';
import type { BundleManifest } from '../../../schemas/bundle.ts';
import type { Bundled, ExportBundleResult, ImportBundleResult } from '../../../schemas/export-output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Bundle, type BundleStep, bundleOf } from '../../analysis/export/bundle/bundle.ts';
import {
  type Imported,
  type ImportStep,
  type Into,
  importBundle as unpack,
} from '../../analysis/export/bundle/import.ts';
import { isFolder } from '../../base/folders.ts';
import type { Sink } from '../../base/sink.ts';
import { openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { BlobTarget } from '../../ledger/copy/blob-copy.ts';
import { type Ledger, lastEventOf } from '../../ledger/ledger.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { ownStreams, type RunFound } from '../../ledger/runs.ts';
import { blobsUrl } from '../opening/blobs.ts';
import { noticingWaits, withLedgerToRead } from '../opening/ledger.ts';
import { refuseToOverwrite } from '../place/files.ts';
import { ensureWorkspaceFor, findPlace, localTo, type Place } from '../place/place.ts';
import { type Input, openSource } from '../place/source.ts';
import { redactedIn } from '../redacted.ts';
import { runNamed } from '../run-named.ts';
import { type Session, StepProgress } from '../session.ts';
import { intoFile } from './into-file.ts';

const packing: Readonly<Record<BundleStep['doing'], string>> = { reading: 'events read', packing: 'bytes packed' };

const unpacking: Readonly<Record<ImportStep['doing'], string>> = {
  unpacking: 'bytes unpacked',
  verifying: 'events verified',
  comparing: 'events compared',
  copying: 'events',
  proving: 'events compared again',
};

/** Where to write a bundle. */
export interface ExportBundleOptions {
  /** A file, or a sink (default: a file named after the run). */
  readonly output?: string | Sink;
}

export async function exportBundle(
  session: Session,
  named: string,
  { output }: ExportBundleOptions = {},
): Promise<ExportBundleResult> {
  return await withLedgerToRead(session, async (ledger) => {
    const run = await runNamed(session, ledger, named);
    const sink = typeof output === 'object' ? output : null;
    const path = sink === null ? fileFor(session, (output as string | undefined) ?? fileNameOf(run)) : null;
    const started = performance.now();
    const progress = new StepProgress(session, packing);
    const blobs = await openBlobsIfThere(blobsUrl(session));
    try {
      const options = { signal: session.signal, onProgress: (step: BundleStep) => progress.update(step) };
      const bundle = await bundleOf(ledger, blobs, run, options);
      if (path === null) await write(bundle, sink as Sink);
      else await intoFile(path, (out) => write(bundle, out));
      await progress.end();
      if (!(await isOver(ledger, run))) {
        const text = `${run.name} has not ended: later events are not in the bundle`;
        await session.notify({ kind: 'note', text });
      }
      const seconds = (performance.now() - started) / 1000;
      return exportResult(bundle, { ledger, path, seconds, own: await ownStreams(ledger) });
    } finally {
      await progress.end();
      await blobs?.close();
    }
  });
}

function fileFor(session: Session, output: string): string {
  return refuseToOverwrite(session.cwd, output, '-', findPlace(session).ledger.files, '--output');
}

/** A run of another program may lack an event for its end. A completed run may have proposals after its end. */
async function isOver(ledger: Ledger, { run }: RunFound): Promise<boolean> {
  const last = await lastEventOf(ledger, streamOf.run(run));
  if (last === null || last.type === 'RunCompleted' || last.type === 'RunFailed') return true;
  const ends = { streams: [streamOf.run(run)], types: ['RunCompleted'], limit: 1 };
  for await (const completed of ledger.readAll(ends)) if (completed.length > 0) return true;
  return false;
}

/** A name may contain anything; a file name should be easy to type. */
function fileNameOf({ run, name }: RunFound): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100);
  return `${plain === '' ? run : plain}.icecore.tar.zst`;
}

async function write({ file }: Bundle, sink: Sink): Promise<void> {
  for await (const piece of file) await sink.write(piece);
}

interface Circumstances {
  readonly ledger: Ledger;
  readonly path: string | null;
  readonly seconds: number;
  readonly own: readonly string[];
}

function exportResult({ plan, made }: Bundle, { ledger, path, seconds, own }: Circumstances): ExportBundleResult {
  return {
    ledger: ledger.url,
    bundle: path === null ? null : resolve(path),
    ...bundledIn(plan.described),
    lostBlobs: [...plan.lost],
    ownStreams: [...own],
    bytes: made.bytes,
    unpacked: plan.described.members.bytes,
    sha256: made.sha256 ?? '',
    seconds: Number(seconds.toFixed(3)),
  };
}

function bundledIn(manifest: Omit<BundleManifest, 'digest'>): Bundled {
  const { run, ancestors, missing, ablations, events, streams, blobs, lost, elsewhere, root } = manifest;
  return { run, ancestors, missing, ablations, events, streams, blobs, lost, elsewhere, root };
}

/** What importing a bundle may change in the ledger. */
export interface ImportBundleOptions {
  /** Leave out texts that were erased here, and erase those that the bundle lists as erased. */
  readonly erase?: boolean;
  /** Extend runs that exist here and end earlier. */
  readonly extend?: boolean;
}

export async function importBundle(
  session: Session,
  input: Input,
  { erase = false, extend = false }: ImportBundleOptions = {},
): Promise<ImportBundleResult> {
  const place = findPlace(session);
  const made = await isToMake(session, place);
  const source = openSource(session, input, made ? [] : place.ledger.files);
  const started = performance.now();
  const progress = new StepProgress(session, unpacking);
  const folder = folderThere(dirname(localTo(place).runs));
  try {
    const onProgress = (step: ImportStep): Promise<void> => progress.update(step);
    const options = { erase, extend, signal: session.signal, onProgress };
    const imported = await unpack(source.bytes, folder, (body) => within(session, place, body), options);
    const seconds = (performance.now() - started) / 1000;
    return importResult(imported, {
      url: place.ledger.url,
      file: typeof input === 'string' ? input : '-',
      made,
      seconds,
    });
  } catch (error) {
    await progress.end();
    if (session.signal.aborted)
      await session.notify({ kind: 'note', text: 'stopped; the same command with --extend continues' });
    throw error;
  } finally {
    source.close();
    await progress.end();
  }
}

/** Errors of an existing ledger are reported before anything is read. */
async function isToMake(session: Session, { ledger: { url } }: Place): Promise<boolean> {
  const onWait = noticingWaits(session);
  if (!(await isLedgerThere(url, { onWait }))) return true;
  // A killed import may have left it unfinished.
  await (await openLedger(url, { create: true, onWait })).close();
  return false;
}

/** An invalid bundle must not create a folder. */
function folderThere(folder: string): string {
  return isFolder(folder) || dirname(folder) === folder ? folder : folderThere(dirname(folder));
}

async function within<Result>(session: Session, place: Place, body: (into: Into) => Promise<Result>): Promise<Result> {
  if (ensureWorkspaceFor(place)) await session.notify({ kind: 'workspace-created', path: place.workspace.path });
  const ledger = await openLedger(place.ledger.url, { create: true, onWait: noticingWaits(session) });
  try {
    const blobs = await BlobTarget.at(blobsUrl(session));
    try {
      return await body({ ledger, blobs });
    } finally {
      await blobs.close();
    }
  } finally {
    await ledger.close();
  }
}

interface ImportCircumstances {
  readonly url: string;
  readonly file: string;
  readonly made: boolean;
  readonly seconds: number;
}

function importResult(imported: Imported, circumstances: ImportCircumstances): ImportBundleResult {
  const { manifest, file: sealed, checked, copied, extensions, answers } = imported;
  const { url, file, made, seconds } = circumstances;
  return {
    ledger: url,
    made,
    bundle: file,
    sha256: sealed.sha256,
    from: manifest.ledger,
    ...bundledIn(manifest),
    added: copied.copied,
    addedBlobs: copied.blobs,
    answers,
    extended: [...extensions],
    ...checked,
    redacted: redactedIn(copied.redacted),
    seconds: Number(seconds.toFixed(3)),
  };
}
