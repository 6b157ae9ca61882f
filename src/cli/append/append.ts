// What `icecore event append` does: opens the input and the target, lets the intake run, and says what came of it.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { AppendSummary } from '../../../schemas/output.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { visible } from '../../base/visible.ts';
import type { Expectation } from '../../ledger/event.ts';
import { textPlaceOf } from '../../library/opening/texts.ts';
import { refuseToOverwrite } from '../../library/place/files.ts';
import { findPlace } from '../../library/place/place.ts';
import { type Tally, takeIn } from '../../producers/intake/intake.ts';
import { RejectsFile } from '../../producers/intake/refusals.ts';
import type { Target } from '../../producers/intake/target.ts';
import { longestInline } from '../../producers/intake/texts.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { typedHere } from '../program.ts';
import { openSource, type Source } from '../../library/plugins/source.ts';
import { withCheckingTarget, withTarget } from './target.ts';

export interface AppendOptions {
  readonly stream?: string;
  readonly expect?: Expectation;
  readonly rejects?: string;
  readonly texts?: 'blobs' | 'inline';
  readonly dryRun?: true;
}

export async function append(context: Context, file: string, options: AppendOptions): Promise<number> {
  const { expect = 'any' } = options;
  requireStream(options);
  const longest = longestAt[textPlaceOf(context.session, options.texts) ?? 'byDefault'];
  const { ledger } = findPlace(context.session);
  const rejectsPath =
    options.rejects === undefined ? null : refuseToOverwrite(context.io.cwd, options.rejects, file, ledger.files);
  const source = await openSource(context, file, ledger.files, 'events, one a line,');
  const stream = options.stream ?? null;
  const started = performance.now();
  const take = (target: Target): Promise<Tally> =>
    intake(context, { source, target, stream, expect, longest, rejectsPath });
  const tally = await (options.dryRun === true ? withCheckingTarget : withTarget)(context, take);
  const seconds = (performance.now() - started) / 1000;
  const summary = summaryOf(tally, seconds, { ledger: ledger.url, rejectsPath, isDryRun: options.dryRun === true });
  if (context.flags.json) await context.printJson(summary);
  else {
    const hints = tally.rejected > 0 ? [typedHere(howToGoOn(shellWord(options.rejects ?? '')), context.io)] : [];
    await context.print([sentence(summary), ...hints].map((line) => `${visible(line)}\n`).join(''));
  }
  return tally.rejected > 0 ? 1 : 0;
}

/** Only of one stream can be said what it looks like. */
function requireStream({ expect, stream }: AppendOptions): void {
  if (expect === undefined || stream !== undefined) return;
  throw new IcecoreError('usage', '--expect says what one stream looks like, but none is named', {
    facts: { expect },
    remedy: 'Name it with --stream.',
  });
}

/** How long a text may be to stand in its event. */
const longestAt = {
  inline: longestInline.everything,
  blobs: longestInline.nothing,
  byDefault: longestInline.byDefault,
} as const;

interface Work {
  readonly source: Source;
  readonly target: Target;
  readonly stream: string | null;
  readonly expect: Expectation;
  readonly longest: number;
  readonly rejectsPath: string | null;
}

async function intake(
  context: Context,
  { source, target, stream, expect, longest, rejectsPath }: Work,
): Promise<Tally> {
  const rejects = rejectsPath === null ? null : new RejectsFile(rejectsPath);
  const progress = new Progress(context, 'events');
  try {
    return await takeIn(source.bytes, target, {
      defaults: { stream, isOnlyStream: expect !== 'any', now: () => new Date().toISOString() },
      longestInline: longest,
      expect,
      onRefused: rejects === null ? null : (refused) => rejects.add(refused),
      onProgress: ({ appended, existed, rejected, bytes }) =>
        progress.update({ done: appended + existed + rejected, bytes, totalBytes: source.totalBytes }),
      signal: context.signal,
    });
  } finally {
    source.close();
    await progress.end();
    rejects?.close();
  }
}

function howToGoOn(rejects: string): string {
  return `Correct each "text" in ${rejects}, then append it with the same options: icecore event append ${rejects}`;
}

interface Circumstances {
  readonly ledger: string;
  readonly rejectsPath: string | null;
  readonly isDryRun: boolean;
}

function summaryOf(tally: Tally, seconds: number, { ledger, rejectsPath, isDryRun }: Circumstances): AppendSummary {
  const valid = tally.appended + tally.existed;
  return {
    ledger,
    dryRun: isDryRun,
    valid,
    appended: isDryRun ? 0 : tally.appended,
    existed: tally.existed,
    rejected: tally.rejected,
    rejects: rejectsPath,
    blobs: tally.texts.written,
    erased: tally.texts.erased,
    streams: tally.streams,
    moreStreams: tally.moreStreams,
    bytes: tally.bytes,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round((valid + tally.rejected) / seconds) : 0,
  };
}

function sentence(summary: AppendSummary): string {
  if (summary.valid + summary.rejected === 0) return 'appended 0 events: there are none in the input';
  const { appended, existed, rejected, rejects, blobs, erased, streams, moreStreams, seconds, perSecond, valid } =
    summary;
  const done = summary.dryRun
    ? `${counted(valid, 'event')} could be appended; nothing was written`
    : `appended ${counted(appended, 'event')} to ${moreStreams ? 'at least ' : ''}${counted(streams, 'stream')}`;
  const parts = [
    done,
    existed > 0 ? `${count(existed)} already there` : '',
    rejected > 0 ? `${count(rejected)} rejected, see ${rejects}` : '',
    blobs > 0 ? `${counted(blobs, 'blob')} written` : '',
    erased > 0 ? `${counted(erased, 'text')} left out, erased here before` : '',
    `${duration(seconds)}, ${count(perSecond)}/s`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
