// What `icecore event append` prints: the counts, and how to append rejected lines.
import type { AppendSummary } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type AppendFromOptions, appendFrom } from '../../library/events/append.ts';
import { inputOf } from '../../library/plugins/source.ts';
import type { Context } from '../context.ts';
import { typedHere } from '../program.ts';

export async function append(context: Context, file: string, options: AppendFromOptions): Promise<number> {
  const input = await inputOf(context, file, 'events, one per line,');
  const summary = await appendFrom(context.session, input, options);
  if (context.flags.json) await context.printJson(summary);
  else {
    const rejects = shellWord(options.rejects ?? '');
    const hint = `Correct each "text" in ${rejects}, then append it with the same options: icecore event append ${rejects}`;
    const hints = summary.rejected > 0 ? [typedHere(hint, context.io)] : [];
    await context.print([sentence(summary), ...hints].map((line) => `${escapeControls(line)}\n`).join(''));
  }
  return summary.rejected > 0 ? 1 : 0;
}

function sentence(summary: AppendSummary): string {
  if (summary.valid + summary.rejected === 0) return 'appended 0 events: the input has none';
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
