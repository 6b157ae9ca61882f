// What `icecore ledger copy` does.
import type { RedactedTextsResult } from '../../../schemas/export-output.ts';
import type { CopyResult } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type CopyOptions, copyLedger } from '../../library/transfer/copy.ts';
import type { Context } from '../context.ts';
import { leftOut } from '../output/left-out.ts';

export async function copy(context: Context, places: [string, string], options: CopyOptions): Promise<number> {
  const result = await copyLedger(context.session, places, options);
  if (context.flags.json) await context.printJson(result);
  else await tell(context, result);
  return result.lost > 0 ? 1 : 0;
}

const mostShown = 20;

export async function tellOfRedacted(context: Context, { erased, erasable, left }: RedactedTextsResult): Promise<void> {
  await lines(context, 'ERASED', erased, () => '');
  await lines(context, 'REDACTED', erasable, () => ', its text is still here');
  await lines(context, 'LEFT', left, ({ why }) => `: ${why}`);
  if (erasable.length === 0) return;
  await context.say(`to erase ${counted(erasable.length, 'text')} that were redacted, repeat the command with --erase`);
}

async function lines<Text extends RedactedTextsResult['erased'][number]>(
  context: Context,
  word: string,
  texts: readonly Text[],
  more: (text: Text) => string,
): Promise<void> {
  for (const text of texts.slice(0, mostShown)) {
    const { event, stream, field, by } = text;
    await context.print(`${escapeControls(`${word}  ${field} of ${event} in ${stream}, see ${by}${more(text)}`)}\n`);
  }
  if (texts.length > mostShown) await context.print(`${word}  ${counted(texts.length - mostShown, 'more text')}\n`);
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
  await context.print(`${escapeControls(`equal: ${to} has the same ${counted(events, 'event')}, root ${root}`)}\n`);
  for (const blob of lostBlobs) await context.print(`LOST: blob ${blob} is missing or damaged in the original\n`);
  if (lost > lostBlobs.length) await context.print(`LOST: ${counted(lost - lostBlobs.length, 'more blob')}\n`);
  if (lost > 0) await context.say('restore lost blobs where the original has its blobs, then repeat the command');
  await tellOfRedacted(context, result.redacted);
  await tellOfUnreported(context, result);
  if (result.ownStreams.length > 0)
    await context.print(`${escapeControls(leftOut(result.ownStreams, 'copy of everything'))}\n`);
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
  await context.hint(`to copy it too: icecore ledger copy ${shellWord(from)} ${shellWord(to)} --run ${run}`);
}
