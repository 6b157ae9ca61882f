// What `icecore tail` does: finds where to begin, then reads on to the end, or follows.
import { eventTypes } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { parseStream } from '../../../schemas/streams.ts';
import type { Cursor } from '../../ledger/cursor.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { withLedgerToRead } from '../ledger.ts';
import { type Form, formOf } from './forms.ts';

export interface TailOptions {
  readonly follow?: true;
  readonly number?: string;
  readonly type?: readonly string[];
  readonly stream?: readonly string[];
  readonly after?: Cursor;
  readonly cloudevents?: true;
}

interface Wanted {
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
}

const shownByDefault = 20;

export async function tail(context: Context, options: TailOptions): Promise<number> {
  const number = options.number === undefined ? null : wholeNumber(options.number);
  const wanted = wantedOf(options);
  const form = formOf(context, options.cloudevents === true);
  return await withLedgerToRead(context, async (ledger) => {
    if (options.after !== undefined) ledger.compareCursors(options.after, options.after);
    const { after, limit } = await rangeOf(ledger, wanted, options.after, number);
    if (options.follow === true) return await follow(context, ledger, { ...wanted, ...after }, form);
    let shown = 0;
    for await (const events of ledger.readAll({ ...wanted, ...after, limit })) {
      await form.write(events);
      shown += events.length;
      context.signal.throwIfAborted();
    }
    if (shown === 0) await context.say(nothingShown(options));
    return 0;
  });
}

interface Range {
  readonly after: { readonly after?: Cursor };
  readonly limit: number;
}

/** Going back only finds the place; reading forward from there, memory does not grow with the number asked for. */
async function rangeOf(
  ledger: Ledger,
  wanted: Wanted,
  after: Cursor | undefined,
  number: number | null,
): Promise<Range> {
  if (after !== undefined) return { after: { after }, limit: number ?? Number.MAX_SAFE_INTEGER };
  const limit = number ?? shownByDefault;
  if (limit === 0) return { after: { after: (await ledger.head()).cursor }, limit };
  let seen = 0;
  let place: Cursor | undefined;
  for await (const events of ledger.readAll({ ...wanted, backwards: true, limit: limit + 1 })) {
    seen += events.length;
    place = events.at(-1)?.cursor;
  }
  return { after: seen > limit && place !== undefined ? { after: place } : {}, limit };
}

async function follow(
  context: Context,
  ledger: Ledger,
  wanted: Wanted & { readonly after?: Cursor },
  form: Form,
): Promise<number> {
  let { after } = wanted;
  for await (const delivery of ledger.subscribe({ ...wanted, signal: context.signal })) {
    after = delivery.cursor;
    if (delivery.kind === 'events') await form.write(delivery.events);
  }
  if (after !== undefined) await context.say(`stopped; to go on: icecore tail -f --after ${after}`);
  return exitCodeOf(context.signal.reason as StopSignal);
}

function wantedOf({ type, stream }: TailOptions): Wanted {
  for (const name of type ?? []) if (!eventTypes.has(name)) throw unknownType(name);
  for (const name of stream ?? []) if (parseStream(name) === null) throw noStream(name);
  return { ...(type === undefined ? {} : { types: type }), ...(stream === undefined ? {} : { streams: stream }) };
}

function unknownType(name: string): IcecoreError {
  const near = nearestNames(name, eventTypes.keys());
  return new IcecoreError('usage', `--type: there is no event type "${name}"`, {
    facts: { field: '--type', found: name, allowed: [...eventTypes.keys()], nearest: near },
    remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are ${[...eventTypes.keys()].join(', ')}.`,
  });
}

function noStream(name: string): IcecoreError {
  return new IcecoreError('usage', `--stream: "${name}" is not the name of a stream`, {
    facts: { field: '--stream', found: name },
    remedy:
      'Streams are called run-RUN, evidence-RUN-STAGE-SHARD-ATTEMPT, notes-RUN and the like: icecore tail shows them.',
  });
}

function wholeNumber(text: string): number {
  if (/^(?:0|[1-9][0-9]{0,8})$/.test(text)) return Number(text);
  throw new IcecoreError('usage', `--number: found "${text}", allowed: a whole number from 0`, {
    facts: { field: '--number', found: text, allowed: 'a whole number from 0' },
  });
}

function nothingShown({ after, type, stream }: TailOptions): string {
  if (type !== undefined || stream !== undefined) return 'no such events';
  return after === undefined ? 'no events yet' : 'no events after this cursor';
}
