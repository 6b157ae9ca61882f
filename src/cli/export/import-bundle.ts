// What `icecore import bundle` does.
import { dirname } from 'node:path';
import type { ImportBundleResult } from '../../../schemas/export-output.ts';
import { type Imported, type ImportStep, type Into, importBundle } from '../../analysis/export/bundle/import.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { BlobTarget } from '../../ledger/copy/blob-copy.ts';
import { isFolder } from '../../ledger/folders.ts';
import { blobsBeside } from '../../ledger/local.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { blobsUrl } from '../../library/opening/blobs.ts';
import { noticingWaits } from '../../library/opening/ledger.ts';
import { ensureHomeFor, findHome, findPlace, localTo, type Place } from '../../library/place/place.ts';
import type { Context } from '../context.ts';
import { openSource } from '../source.ts';
import { redactedResult, tellOfRedacted } from '../trust/copy.ts';
import { bundledIn, elsewhereText, StepProgress } from './steps.ts';

export interface ImportBundleOptions {
  readonly erase?: true;
  readonly extend?: true;
}

export async function importBundleFile(context: Context, file: string, options: ImportBundleOptions): Promise<number> {
  const place = findPlace(context.session);
  const { url, files } = place.ledger;
  const onWait = noticingWaits(context.session);
  const made = !(await isLedgerThere(url, { onWait }));
  // What is wrong with a ledger that is there is said before anything is unpacked. Whoever made it may have been killed over it.
  if (!made) await (await openLedger(url, { create: true, onWait })).close();
  const source = await openSource(context, file, made ? [] : files, 'a bundle');
  const started = performance.now();
  try {
    const imported = await opened(context, source.bytes, place, options);
    const seconds = (performance.now() - started) / 1000;
    const result = resultOf(imported, { url, file, made, seconds });
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    return result.lost > 0 ? 1 : 0;
  } finally {
    source.close();
  }
}

const nouns: Readonly<Record<ImportStep['doing'], string>> = {
  unpacking: 'bytes unpacked',
  verifying: 'events verified',
  comparing: 'events compared',
  copying: 'events',
  proving: 'events compared again',
};

async function opened(
  context: Context,
  bytes: AsyncIterable<Uint8Array>,
  place: Place,
  { erase, extend }: ImportBundleOptions,
): Promise<Imported> {
  const progress = new StepProgress<ImportStep['doing']>(context, nouns);
  try {
    return await importBundle(
      bytes,
      folderThere(dirname(localTo(place).runs)),
      (body) => within(context, place, body),
      {
        erase: erase === true,
        extend: extend === true,
        signal: context.signal,
        onProgress: (step) => progress.update(step),
      },
    );
  } catch (error) {
    await progress.end();
    if (context.signal.aborted) await context.say('stopped; the same again with --extend goes on');
    throw error;
  } finally {
    await progress.end();
  }
}

/** Nothing is made for a bundle that turns out to be none. */
function folderThere(folder: string): string {
  return isFolder(folder) || dirname(folder) === folder ? folder : folderThere(dirname(folder));
}

async function within<Result>(context: Context, place: Place, body: (into: Into) => Promise<Result>): Promise<Result> {
  const { url } = place.ledger;
  if (ensureHomeFor(place)) await context.say(`made ${place.home.path}`);
  const ledger = await openLedger(url, { create: true, onWait: noticingWaits(context.session) });
  try {
    const blobs = await BlobTarget.at(blobsOf(context, url));
    try {
      return await body({ ledger, blobs });
    } finally {
      await blobs.close();
    }
  } finally {
    await ledger.close();
  }
}

/** What names the blobs of the ledger at hand is not meant for another. */
function blobsOf(context: Context, url: string): string {
  return url === findPlace(context.session).ledger.url
    ? blobsUrl(context.session)
    : blobsBeside(url, findHome(context.io).path);
}

interface Circumstances {
  readonly url: string;
  readonly file: string;
  readonly made: boolean;
  readonly seconds: number;
}

function resultOf(imported: Imported, circumstances: Circumstances): ImportBundleResult {
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
    redacted: redactedResult(copied.redacted),
    seconds: Number(seconds.toFixed(3)),
  };
}

async function tell(context: Context, result: ImportBundleResult): Promise<void> {
  const { run, ancestors, missing, events, added, addedBlobs, lost, elsewhere, seconds } = result;
  const print = (line: string): Promise<void> => context.print(`${visible(line)}\n`);
  const parts = [
    added === 0 ? `all ${counted(events, 'event')} were there` : `added ${counted(added, 'event')}`,
    addedBlobs > 0 ? counted(addedBlobs, 'blob') : '',
    added > 0 && added < events ? `${count(events - added)} were there` : '',
    duration(seconds),
  ];
  await print(`${run.name}: ${parts.filter((part) => part !== '').join(', ')}`);
  for (const { name } of ancestors) await print(`with ${name}, whose history it shares`);
  for (const parent of missing) await print(`MISSING: run ${parent}, whose history it shares, is not in the bundle`);
  if (lost > 0) await print(`LOST: ${counted(lost, 'blob')} that its events name, where it was packed already`);
  if (elsewhere.length > 0) await print(elsewhereText(elsewhere));
  for (const { of, events: more } of result.extended)
    await print(`added ${counted(more, 'event')} to ${of}, which was here`);
  if (result.answers > 0)
    await print(`${counted(result.answers, 'recorded answer')} of models: a run here that asks the same is given them`);
  if (result.ignored > 0)
    await print(`IGNORED: ${counted(result.ignored, 'redaction')} without authority; icecore verify names them`);
  await tellOfRedacted(context, result.redacted);
  await print(
    `verified: ${counted(events, 'event')} and their chains, ${counted(result.seals, 'seal')}; root ${result.root}`,
  );
  if (result.unsealed > 0) await print('not vouched for by a seal: some of the evidence; icecore verify names it');
  await context.hint(`to look at it: icecore show ${run.run}`);
}
