// What `icecore event tail` does: selects types and streams, and prints the last events or follows new ones.
import { IcecoreError } from '../../../schemas/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { Delivery, Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { beforeLast, requireStreams, requireTypes, type Selection } from '../../library/events/selection.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { wholeNumberIn } from '../../library/plugins/values.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { Follower } from '../waiting.ts';
import { type Form, formOf } from './event-lines.ts';

/** Null where no number is typed. */
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

interface Asked {
  readonly after?: Cursor;
  readonly follow?: true;
  /** Null where no number was asked for. */
  readonly number: number | null;
}

interface Range {
  readonly after: { readonly after?: Cursor };
  readonly limit: number;
}

const shownByDefault = 20;

/**
 * After a cursor, programs read page by page, so a number is that of the first events there. Who follows wants what is
 * new: then it is that of the last ones, as it is without a cursor.
 */
async function rangeOf(ledger: Ledger, selection: Selection, { after, follow, number }: Asked): Promise<Range> {
  if (after !== undefined && (number === null || follow === undefined))
    return { after: { after }, limit: number ?? Number.MAX_SAFE_INTEGER };
  const limit = number ?? shownByDefault;
  return { after: await beforeLast(limit, ledger, selection, after), limit };
}

interface TailOptions {
  readonly follow?: true;
  readonly limit?: number;
  readonly type?: readonly string[];
  readonly stream?: readonly string[];
  readonly after?: Cursor;
  readonly cloudevents?: true;
}

/** `word` is what was typed besides options: the -NUMBER that head and tail take too. */
export async function tail(context: Context, options: TailOptions, word?: string): Promise<number> {
  const number = numberOf(options.limit, word);
  const wanted = wantedOf(options);
  const form = formOf(context, options.cloudevents === true);
  const follower = options.follow === true ? new Follower(context) : null;
  const body = async (ledger: Ledger): Promise<number> => {
    await requireSelection(ledger, options);
    if (options.after !== undefined) ledger.compareCursors(options.after, options.after);
    const { after, limit } = await rangeOf(ledger, wanted, { ...options, number });
    if (follower !== null) return await follow(context, ledger, { ...wanted, ...after, form, follower });
    let shown = 0;
    for await (const events of ledger.readAll({ ...wanted, ...after, limit })) {
      await form.write(events);
      shown += events.length;
      context.signal.throwIfAborted();
    }
    if (shown === 0 && limit > 0) await context.say(nothingShown(options));
    return 0;
  };
  return await withLedgerToRead(context.session, body, follower?.onWait);
}

interface Following extends Selection {
  readonly after?: Cursor;
  readonly form: Form;
  readonly follower: Follower;
}

async function follow(
  { signal, hint }: Context,
  ledger: Ledger,
  { form, follower, ...wanted }: Following,
): Promise<number> {
  let { after } = wanted;
  const early = new ShownEarly();
  const begin = (): AsyncIterable<Delivery> =>
    ledger.subscribe({ ...wanted, ...(after === undefined ? {} : { after }), signal, unsealed: true });
  for await (const delivery of follower.following(begin)) {
    after = delivery.cursor;
    if (delivery.kind === 'events') await form.write(early.without(delivery.events));
    if (delivery.kind !== 'unsealed') continue;
    early.add(delivery.events);
    await form.write(delivery.events, { unsealedAfter: after });
  }
  if (after !== undefined) await hint(`stopped; to go on: icecore event tail -f --after ${shellWord(after)}`);
  return exitCodeOf(signal.reason as StopSignal);
}

async function requireSelection(ledger: Ledger, { type = [], stream = [] }: TailOptions): Promise<void> {
  await requireTypes(ledger, '--type', type);
  await requireStreams(ledger, '--stream', stream);
}

/** Evidence that was shown before it was reported is not shown again. */
class ShownEarly {
  readonly #last = new Map<string, number>();

  add(events: readonly StoredEvent[]): void {
    for (const { stream, revision } of events) this.#last.set(stream, revision);
  }

  without(events: readonly StoredEvent[]): readonly StoredEvent[] {
    return events.filter(({ stream, revision }) => {
      const last = this.#last.get(stream);
      // An attempt is reported whole: with its last event it is done with.
      if (last === revision) this.#last.delete(stream);
      return last === undefined || revision > last;
    });
  }
}

function wantedOf({ type, stream }: TailOptions): Selection {
  return { ...(type === undefined ? {} : { types: type }), ...(stream === undefined ? {} : { streams: stream }) };
}

function nothingShown({ after, type, stream }: TailOptions): string {
  if (type !== undefined || stream !== undefined) return 'no such events';
  return after === undefined ? 'no events yet' : 'no events after this cursor';
}
