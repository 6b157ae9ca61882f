// What `icecore copy` does.
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { CopyResult } from '../../../schemas/output.ts';
import { blobsBeside } from '../../ledger/blobs/beside.ts';
import { openBlobsIfThere } from '../../ledger/blobs/if-there.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { type Copied, type CopyStep, copyLedger } from '../../ledger/copy/copy.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger, parseLedgerUrl } from '../../ledger/open.ts';
import { findRun } from '../../ledger/runs.ts';
import { absoluteBlobs } from '../blobs.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { count, counted, duration } from '../output/quantity.ts';
import { visible } from '../output/visible.ts';

export interface CopyOptions {
  readonly run?: string;
  readonly fromBlobs?: string;
  readonly toBlobs?: string;
}

export async function copy(context: Context, [from, to]: [string, string], options: CopyOptions): Promise<number> {
  const urls = { from: absolute(from, context), to: absolute(to, context) };
  if (urls.from === urls.to) throw new IcecoreError('usage', 'a ledger cannot be copied onto itself', { facts: urls });
  const original = await openLedger(urls.from, { readOnly: true });
  try {
    const run = options.run === undefined ? null : (await findRun(original, options.run)).run;
    const target = await openLedger(urls.to, { create: true, ...(run === null ? { createAs: original.id } : {}) });
    try {
      return await copyBetween(context, original, target, run, options);
    } finally {
      await target.close();
    }
  } finally {
    await original.close();
  }
}

async function copyBetween(
  context: Context,
  from: Ledger,
  to: Ledger,
  run: string | null,
  options: CopyOptions,
): Promise<number> {
  const fromBlobs = await openBlobsIfThere(blobsAt(options.fromBlobs, from, context));
  const toBlobs = await openBlobs(blobsAt(options.toBlobs, to, context), { create: true });
  const shown = { copying: new Progress(context, 'events'), proving: new Progress(context, 'events compared') };
  const started = performance.now();
  try {
    const copied = await copyLedger(
      { from, to, fromBlobs, toBlobs },
      { run, signal: context.signal, onProgress: ({ doing, ...step }: CopyStep) => shown[doing].update(step) },
    );
    await shown.copying.end();
    const result = resultOf(copied, { from, to, run, seconds: (performance.now() - started) / 1000 });
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    return result.lostBlobs.length > 0 ? 1 : 0;
  } finally {
    await shown.copying.end();
    await fromBlobs?.close();
    await toBlobs.close();
  }
}

interface Circumstances {
  readonly from: Ledger;
  readonly to: Ledger;
  readonly run: string | null;
  readonly seconds: number;
}

function resultOf(copied: Copied, { from, to, run, seconds }: Circumstances): CopyResult {
  const { events, blobs, lostBlobs, proof } = copied;
  return {
    from: from.url,
    to: to.url,
    run,
    events,
    copied: copied.copied,
    blobs,
    lostBlobs: [...lostBlobs],
    streams: proof.streams,
    root: proof.root,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round(copied.copied / seconds) : 0,
  };
}

async function tell(context: Context, result: CopyResult): Promise<void> {
  const { events, copied, blobs, lostBlobs, root, seconds, perSecond, to } = result;
  const parts = [
    `copied ${counted(copied, 'event')}`,
    blobs > 0 ? counted(blobs, 'blob') : '',
    copied < events ? `${count(events - copied)} were there` : '',
    `${duration(seconds)}, ${count(perSecond)}/s`,
  ];
  await context.print(`${parts.filter((part) => part !== '').join('; ')}\n`);
  await context.print(`${visible(`equal: ${to} has the same ${counted(events, 'event')}, root ${root}`)}\n`);
  for (const blob of lostBlobs) await context.print(`LOST: blob ${blob} is missing or damaged in the original\n`);
}

function blobsAt(named: string | undefined, ledger: Ledger, { io }: Context): string {
  return named === undefined ? blobsBeside(ledger.url) : absoluteBlobs(named, io.cwd);
}

/** Every ledger of today is a file; a relative path is meant from here. */
function absolute(url: string, { io }: Context): string {
  const { scheme, place } = parseLedgerUrl(url);
  const path = resolve(io.cwd, place);
  return `${scheme}:${path}`;
}
