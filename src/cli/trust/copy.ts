// What `icecore ledger copy` does.
import type { CopyResult } from '../../../schemas/output.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { type Copied, copyLedger, scopesOf } from '../../ledger/copy/copy.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Context } from '../context.ts';
import { leftOut } from '../output/left-out.ts';
import { CopyProgress } from './copy-progress.ts';
import { type Places, withCopyPlaces, withOriginal } from './places.ts';
import { redactedResult, tellOfRedacted } from './redacted-texts.ts';

export interface CopyOptions {
  readonly run?: string;
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
  readonly erase?: true;
  readonly extend?: true;
}

export async function copy(context: Context, [from, to]: [string, string], options: CopyOptions): Promise<number> {
  return await withOriginal(context, { from, to }, async (original, urls) => {
    const run = options.run === undefined ? null : (await findRun(original, options.run)).run;
    const wanted = { ...options, urls, isWhole: run === null };
    return await withCopyPlaces(context, original, wanted, (places) =>
      copyBetween(context, places, { run, erase: options.erase === true, extend: options.extend === true }),
    );
  });
}

interface Wish {
  readonly run: string | null;
  /** Whether redacted texts are to be erased in the copy. */
  readonly erase: boolean;
  /** Whether what the copy has already may grow, where it is a ledger of its own. */
  readonly extend: boolean;
}

async function copyBetween(context: Context, places: Places, { run, erase, extend }: Wish): Promise<number> {
  const progress = new CopyProgress(context);
  const started = performance.now();
  try {
    const copied = await copyLedger(places, {
      run,
      extend,
      erasing: { isAsked: erase, scopes: scopesOf(run) },
      signal: context.signal,
      onProgress: (step) => progress.update(step),
    });
    await progress.end();
    const result = resultOf(copied, { places, run, seconds: (performance.now() - started) / 1000 });
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    return result.lost > 0 ? 1 : 0;
  } catch (error) {
    await progress.end();
    if (context.signal.aborted) await context.say(stopped(places, run));
    throw error;
  } finally {
    await progress.end();
  }
}

function stopped({ from, to }: Places, run: string | null): string {
  const same = run === null && from.id === to.id ? 'run the same again' : 'run the same again with --extend';
  return `stopped; ${same} to go on: what was copied stays`;
}

interface Circumstances {
  readonly places: Places;
  readonly run: string | null;
  readonly seconds: number;
}

const mostLost = 1000;

function resultOf(
  { copied, blobs, lostBlobs, redacted, parent, unreported, ownStreams, proof }: Copied,
  { places, run, seconds }: Circumstances,
): CopyResult {
  return {
    from: places.from.url,
    to: places.to.url,
    run,
    parent,
    events: proof.events,
    copied,
    blobs,
    lost: lostBlobs.length,
    lostBlobs: lostBlobs.slice(0, mostLost),
    redacted: redactedResult(redacted),
    unreported,
    ownStreams: [...ownStreams],
    streams: proof.streams,
    root: proof.root,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round(copied / seconds) : 0,
  };
}

async function tell(context: Context, result: CopyResult): Promise<void> {
  const { events, copied, blobs, lost, lostBlobs, root, seconds, perSecond, to } = result;
  const parts = [
    `copied ${counted(copied, 'event')}`,
    blobs > 0 ? counted(blobs, 'blob') : '',
    copied < events ? `${count(events - copied)} were there` : '',
    `${duration(seconds)}, ${count(perSecond)}/s`,
  ];
  await context.print(`${parts.filter((part) => part !== '').join('; ')}\n`);
  await context.print(`${visible(`equal: ${to} has the same ${counted(events, 'event')}, root ${root}`)}\n`);
  for (const blob of lostBlobs) await context.print(`LOST: blob ${blob} is missing or damaged in the original\n`);
  if (lost > lostBlobs.length) await context.print(`LOST: ${counted(lost - lostBlobs.length, 'more blob')}\n`);
  if (lost > 0) await context.say('put lost blobs back where the original has its blobs, then run the same again');
  await tellOfRedacted(context, result.redacted);
  await tellOfUnreported(context, result);
  if (result.ownStreams.length > 0)
    await context.print(`${visible(leftOut(result.ownStreams, 'copy of everything'))}\n`);
  await tellOfParent(context, result);
}

async function tellOfUnreported(context: Context, { unreported: { streams, events }, to }: CopyResult): Promise<void> {
  if (streams === 0) return;
  const what = `${counted(events, 'event')} of evidence in ${counted(streams, 'stream')} that no run event reports`;
  if (to.startsWith('split:')) {
    await context.print(`not shown in the copy: ${what}\n`);
    await context.hint(
      'a split ledger shows evidence that is sealed: icecore ledger seal in the original, then copy again',
    );
  } else await context.print(`not copied: ${what}\n`);
}

async function tellOfParent(context: Context, { parent, from, to }: CopyResult): Promise<void> {
  if (parent === null || parent.isThere) return;
  const { run, stage } = parent;
  await context.print(`a fork: the history it shares, run ${run} up to stage ${stage}, is not in the copy\n`);
  await context.hint(`to bring it: icecore ledger copy ${shellWord(from)} ${shellWord(to)} --run ${run}`);
}
