// Shows the notices of the library on standard error while a verb works.
import { escapeControls } from '../base/escape.ts';
import { count, counted, duration } from '../base/quantity.ts';
import type { Sink } from '../base/sink.ts';
import type { Notice } from '../library/session.ts';
import { Progress, type ProgressPlace } from './output/progress.ts';

type Noticed<Kind extends Notice['kind']> = Extract<Notice, { readonly kind: Kind }>;
type Waiting = Noticed<'waiting'>['waiting'];
type UnknownEvents = Noticed<'unknown-events'>['unknown'];

interface Screen extends ProgressPlace {
  readonly say: (text: string) => Promise<void>;
  readonly hint: (text: string) => Promise<void>;
}

/** Shows each notice as it comes. */
export function showingNotices(context: Screen, now?: () => number): (notice: Notice) => Promise<void> {
  const progresses = new Map<string, Progress>();
  return async (notice) => {
    switch (notice.kind) {
      case 'workspace-created':
        return await context.say(`created ${notice.path}`);
      case 'waiting':
        return await context.say(waitingText(notice.waiting, notice.ledger));
      case 'claim-held': {
        const { holder, subject, seconds } = notice;
        const pause = duration(seconds);
        return await context.say(`${holder} has the ${subject}; waiting ${pause} to see whether it still works on it`);
      }
      case 'unknown-events':
        // Even with --quiet: an incomplete answer must not look complete.
        return await context.io.stderr.write(`${leftOutText(notice.unknown)}\n`);
      case 'tables':
        return await showStanding(context.io.stderr, notice);
      case 'note':
        return await context.say(notice.text);
      case 'hint':
        return await context.hint(notice.text);
      case 'progress': {
        const progress = progresses.get(notice.subject) ?? new Progress(context, notice.subject, now);
        progresses.set(notice.subject, progress);
        return await progress.update(notice);
      }
      case 'progress-ended':
        await progresses.get(notice.subject)?.end();
        progresses.delete(notice.subject);
    }
  };
}

function waitingText({ store, away }: Waiting, ledger?: string): string {
  const named = nameOf(store, ledger);
  if (away === null) return `${named} is back`;
  const waits = away.seconds < Number.POSITIVE_INFINITY ? `up to ${duration(away.seconds)} for it` : 'until it is back';
  return `${named} does not answer (${away.what}); waiting ${waits}`;
}

/** Even with --quiet. */
async function showStanding(out: Sink, { behind, events, unknown }: Noticed<'tables'>): Promise<void> {
  if (unknown.length > 0) await out.write(`${unknownText(unknown)}\n`);
  if (behind === 0) return;
  const known = `this answer has the first ${count(events)} events`;
  await out.write(`another process refreshes the tables: ${known}, not the ${count(behind)} recorded since\n`);
}

function nameOf(store: Waiting['store'], ledger = 'the ledger'): string {
  return store === 'ledger' ? ledger : `${ledger}'s store of ${store}`;
}

/** Further kinds are only counted. */
const mostNamed = 4;

/** About events that are in no table of their own. */
export function unknownText(unknown: UnknownEvents): string {
  return `${unknownClause(unknown)}, only in table events: a newer icecore or another program recorded them`;
}

/** About events that are left out of an answer. */
function leftOutText(unknown: UnknownEvents): string {
  return `${unknownClause(unknown)}, left out of this answer: icecore event tail shows them`;
}

function unknownClause(unknown: UnknownEvents): string {
  const events = unknown.reduce((sum, one) => sum + one.events, 0);
  const named = unknown
    .slice(0, mostNamed)
    .map((one) => `${escapeControls(one.type)} version ${one.version}: ${count(one.events)}`);
  const more = unknown.length > mostNamed ? [`and ${unknown.length - mostNamed} more kinds`] : [];
  return `${counted(events, 'event')} of types or versions that this icecore does not know (${[...named, ...more].join(', ')})`;
}
