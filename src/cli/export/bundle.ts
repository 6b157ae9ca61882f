// What `icecore export bundle` does.
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportBundleResult } from '../../../schemas/export-output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Bundle, type BundleStep, bundleOf } from '../../analysis/export/bundle/bundle.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import type { Sink } from '../../base/sink.ts';
import { visible } from '../../base/visible.ts';
import { openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { type Ledger, lastOf } from '../../ledger/ledger.ts';
import { findRun, ownStreams, type RunFound } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { blobsUrl } from '../../library/opening/blobs.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { findPlace } from '../../library/place/place.ts';
import type { Context } from '../context.ts';
import { leftOut } from '../output/left-out.ts';
import { refuseToOverwrite } from '../source.ts';
import { intoFile } from '../sql/destinations.ts';
import { bundledIn, elsewhereText, StepProgress } from './steps.ts';

export interface ExportBundleOptions {
  readonly output?: string;
}

export async function exportBundle(
  context: Context,
  asked: string,
  { output: out }: ExportBundleOptions,
): Promise<number> {
  if (out === '-') refuseStandardOutput(context);
  return await withLedgerToRead(context.session, async (ledger) => {
    const run = await findRun(ledger, asked);
    const path = out === '-' ? null : fileFor(context, out ?? `${fileNameOf(run)}.icecore.tar.zst`);
    const started = performance.now();
    const bundle = await made(context, ledger, run, path);
    const seconds = (performance.now() - started) / 1000;
    const result = resultOf(bundle, { ledger, path, seconds, own: await ownStreams(ledger) });
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    if (!(await isOver(ledger, run)))
      await context.say(`${run.name} has not ended: what it records from now on is not in it`);
    return result.lost > 0 ? 1 : 0;
  });
}

/** Of a run that others recorded, nobody may have said that it began. A completed one may have side questions after its end. */
async function isOver(ledger: Ledger, { run }: RunFound): Promise<boolean> {
  const last = await lastOf(ledger, streamOf.run(run));
  if (last === null || last.type === 'RunCompleted' || last.type === 'RunFailed') return true;
  const ends = { streams: [streamOf.run(run)], types: ['RunCompleted'], limit: 1 };
  for await (const completed of ledger.readAll(ends)) if (completed.length > 0) return true;
  return false;
}

function refuseStandardOutput({ io, flags }: Context): void {
  if (io.stdout.isTTY) {
    throw new IcecoreError('usage', '--output -: a terminal cannot show a bundle', {
      facts: { field: '--output' },
      remedy: 'Name a file, or hand it to another program with |.',
    });
  }
  if (!flags.json) return;
  throw new IcecoreError('usage', '--output - and --json: both would go to standard output', {
    facts: { field: '--output' },
    remedy: 'Name a file, or leave --json out.',
  });
}

function fileFor(context: Context, out: string): string {
  return refuseToOverwrite(context, out, '-', findPlace(context.session).ledger.files, '--output');
}

/** A name may hold anything; a file of that name should be easy to type. */
function fileNameOf({ run, name }: RunFound): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100);
  return plain === '' ? run : plain;
}

async function made(context: Context, ledger: Ledger, run: RunFound, path: string | null): Promise<Bundle> {
  const progress = new StepProgress<BundleStep['doing']>(context, { reading: 'events read', packing: 'bytes packed' });
  const blobs = await openBlobsIfThere(blobsUrl(context.session));
  try {
    const bundle = await bundleOf(ledger, blobs, run, {
      signal: context.signal,
      onProgress: (step) => progress.update(step),
    });
    if (path === null) await write(bundle, context.io.stdout);
    else await intoFile(path, (sink) => write(bundle, sink));
    return bundle;
  } finally {
    await progress.end();
    await blobs?.close();
  }
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

function resultOf({ plan, made }: Bundle, { ledger, path, seconds, own }: Circumstances): ExportBundleResult {
  return {
    ledger: ledger.url,
    bundle: path === null ? null : resolve(path),
    ...bundledIn(plan.told),
    lostBlobs: [...plan.lost],
    ownStreams: [...own],
    bytes: made.bytes,
    unpacked: plan.told.members.bytes,
    sha256: made.sha256 ?? '',
    seconds: Number(seconds.toFixed(3)),
  };
}

/** On standard output, unless the bundle goes there. */
async function tell(context: Context, result: ExportBundleResult): Promise<void> {
  const { run, ancestors, missing, ablations, events, blobs, lostBlobs, elsewhere, bundle, bytes, unpacked } = result;
  const say = async (line: string): Promise<void> =>
    bundle === null ? await context.say(line) : await context.print(`${visible(line)}\n`);
  const parts = [
    counted(events, 'event'),
    blobs > 0 ? counted(blobs, 'blob') : '',
    `${size(unpacked)} in ${size(bytes)}`,
    duration(result.seconds),
  ];
  await say(`${run.name}: ${parts.filter((part) => part !== '').join(', ')}`);
  for (const { name } of ancestors) await say(`with ${name}, whose history it shares`);
  if (ablations.length > 0) await say(`with ${counted(ablations.length, 'ablation')} of it`);
  if (elsewhere.length > 0) await say(elsewhereText(elsewhere));
  if (result.ownStreams.length > 0) await say(leftOut(result.ownStreams, 'copy of everything (icecore ledger copy)'));
  for (const blob of lostBlobs) await say(`LOST: blob ${blob} is missing or damaged`);
  for (const parent of missing) await say(`MISSING: run ${parent}, whose history it shares, is not in this ledger`);
  if (bundle === null) return;
  await say(`sha256 ${result.sha256}`);
  await say(bundle);
  await context.hint(`to open it elsewhere: icecore import bundle ${shellWord(bundle)}`);
  if (lostBlobs.length > 0)
    await context.say(`${count(lostBlobs.length)} blobs are lost: put them back, and pack again`);
}
