// What `icecore event tail` does: reads from where to begin on to the end, or follows.
import type { Cursor } from '../../ledger/event.ts';
import type { Delivery, Ledger } from '../../ledger/ledger.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { withLedgerToRead } from '../ledger.ts';
import { Follower } from '../waiting.ts';
import { type Form, formOf } from './forms.ts';
import { numberOf } from './number.ts';
import { rangeOf, type Wanted } from './range.ts';
import { requireStreams, requireTypes } from './selection.ts';

export interface TailOptions {
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
  return await withLedgerToRead(context, body, follower?.onWait);
}

interface Following extends Wanted {
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

function wantedOf({ type, stream }: TailOptions): Wanted {
  return { ...(type === undefined ? {} : { types: type }), ...(stream === undefined ? {} : { streams: stream }) };
}

function nothingShown({ after, type, stream }: TailOptions): string {
  if (type !== undefined || stream !== undefined) return 'no such events';
  return after === undefined ? 'no events yet' : 'no events after this cursor';
}
