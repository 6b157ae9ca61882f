// What `icecore event tail` does: selects types and streams, and prints the last events or follows new ones.
import { IcecoreError } from '../../../schemas/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { events, type FollowOptions, subscribe } from '../../library/events/read.ts';
import type { StoredEvent } from '../../library/ledger.ts';
import { wholeNumberIn } from '../../library/plugins/values.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { type Form, formOf } from './event-lines.ts';

/** Null without a typed number. */
function numberOf(limit: number | undefined, word: string | undefined): number | null {
  if (word === undefined) return limit ?? null;
  if (!word.startsWith('-'))
    throw misused(word, `too many arguments: "${word}"`, 'icecore event tail --help shows its arguments and options.');
  if (limit !== undefined) throw misused(word, `both ${word} and --limit ${limit}`, 'Give one of them.');
  return wholeNumberIn(word.slice(1), '--limit', { from: 0, to: 999_999_999 });
}

function misused(found: string, what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `event tail: ${what}`, { facts: { command: 'event tail', found }, remedy });
}

interface TailOptions {
  readonly follow?: true;
  readonly limit?: number;
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
  readonly after?: string;
  readonly cloudevents?: true;
}

const shownByDefault = 20;

/** `word`: the -NUMBER that head and tail also take. */
export async function tail(context: Context, options: TailOptions, word?: string): Promise<number> {
  const number = numberOf(options.limit, word);
  const { types = [], streams = [], after, follow: isFollowing = false } = options;
  const form = formOf(context, options.cloudevents === true);
  const selection = { types, streams, ...(after === undefined ? {} : { after }) };
  // After a cursor, programs read page by page, so the limit counts from the first event; followers want the newest events.
  const isPage = after !== undefined && (number === null || !isFollowing);
  const last = isPage ? {} : { last: number ?? shownByDefault };
  if (isFollowing) return await follow(context, { ...selection, ...last }, form);
  let shown = 0;
  const limit = isPage && number !== null ? { limit: number } : {};
  for await (const batch of events(context.session, { ...selection, ...last, ...limit })) {
    await form.write(batch);
    shown += batch.length;
  }
  if (shown === 0 && number !== 0) await context.say(nothingShown(options));
  return 0;
}

async function follow({ session, signal, hint }: Context, selection: FollowOptions, form: Form): Promise<number> {
  let { after } = selection;
  const early = new ShownEarly();
  for await (const delivery of subscribe(session, { ...selection, unsealed: true })) {
    after = delivery.cursor;
    if (delivery.kind === 'events') await form.write(early.without(delivery.events));
    if (delivery.kind !== 'unsealed') continue;
    early.add(delivery.events);
    await form.write(delivery.events, { unsealedAfter: after });
  }
  if (after !== undefined) await hint(`stopped; to continue: icecore event tail -f --after ${shellWord(after)}`);
  return exitCodeOf(signal.reason as StopSignal);
}

/** Evidence that was already shown as unsealed is not shown again. */
class ShownEarly {
  readonly #last = new Map<string, number>();

  add(events: readonly StoredEvent[]): void {
    for (const { stream, revision } of events) this.#last.set(stream, revision);
  }

  without(events: readonly StoredEvent[]): readonly StoredEvent[] {
    return events.filter(({ stream, revision }) => {
      const last = this.#last.get(stream);
      // An attempt is reported as a whole and ends with its last event.
      if (last === revision) this.#last.delete(stream);
      return last === undefined || revision > last;
    });
  }
}

function nothingShown({ after, types, streams }: TailOptions): string {
  if (types !== undefined || streams !== undefined) return 'no such events';
  return after === undefined ? 'no events yet' : 'no events after this cursor';
}
