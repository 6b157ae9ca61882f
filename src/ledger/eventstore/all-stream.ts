// All events in the ledger's streams after a position, through a subscription to $all that the server filters by stream names.
// Most events of the server may belong to others: its checkpoints report how far it has searched, and count as progress.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AllStreamResolvedEvent, type AllStreamSubscription, streamNameFilter } from '@eventstore/db-client';
import { TransientError } from '../remote/errors.ts';
import { type Position, pageCharacters, pageEvents } from '../remote/log.ts';
import { type Connection, failureOf, isBadPosition } from './connection.ts';
import { type Arrived, arrivedOf, compare, laterOf, positionText, type StreamNames, serverPosition } from './wire.ts';

/** The server searches this many events of others at a time, and sends a checkpoint after the same number. */
const searchWindow = 1_000;

export interface ArrivedPage {
  readonly arrived: readonly Arrived[];
  /** Everything up to this position was read, including records of other programs. */
  readonly position: Position;
  readonly isCaughtUp: boolean;
}

/** The end of the server's log; "0" if it is empty. */
export async function endOfAll(connection: Connection): Promise<Position> {
  return await connection.ask(async (client, options) => {
    const read = client.readAll({ ...options, direction: 'backwards', fromPosition: 'end', maxCount: 1 });
    for await (const { event } of read) if (event !== undefined) return positionText(event.position);
    return '0';
  });
}

export interface Span {
  readonly after: Position | null;
  /** The end of the server's log when the reading started, or earlier. */
  readonly end: Position;
  /** Continues with what comes after the end. */
  readonly live: boolean;
}

export async function* eventsAfter(
  connection: Connection,
  span: Span,
  signal: AbortSignal,
): AsyncGenerator<ArrivedPage> {
  let reached = span.after;
  try {
    for await (const page of pagesAfter(connection, span, signal)) {
      reached = page.position;
      yield page;
    }
  } catch (error) {
    if (reached === null || !isBadPosition(error)) throw error;
    // The position belonged to a removed event of another program; the ledger is read from the beginning to find what follows.
    const after = reached;
    for await (const page of pagesAfter(connection, { ...span, after: null }, signal)) {
      const arrived = page.arrived.filter(({ position }) => compare(position, after) > 0);
      yield { ...page, arrived, position: laterOf(page.position, after) };
    }
  }
}

/**
 * The messages of a subscription in pages: messages that arrive while a page is in use form the next one. Throws ServerRejected if
 * the server has no such position, and TransientError if the subscription ends or is silent.
 */
async function* pagesAfter(
  connection: Connection,
  { after, end, live }: Span,
  signal: AbortSignal,
): AsyncGenerator<ArrivedPage> {
  const { client, options, names, losing, quietMs } = connection;
  let checkpoint: Position | null = null;
  let isLive = false;
  let hasNews = false;
  let failure: unknown = null;
  let wake = (): void => {};
  const note = (): void => {
    hasNews = true;
    wake();
  };
  const fail = (error: unknown): void => {
    failure ??= error;
    wake();
  };
  const aborted = (): void => fail(signal.reason);
  const change = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const quiet = (): void => fail(new TransientError('the subscription is silent'));
    const timer = live ? undefined : setTimeout(quiet, quietMs);
    await promise;
    clearTimeout(timer);
  };

  const filter = streamNameFilter({
    prefixes: [...names.prefixes],
    maxSearchWindow: searchWindow,
    checkpointInterval: 1,
    checkpointReached: (_, reached) => {
      checkpoint = positionText(reached);
      note();
    },
  });
  const fromPosition = after === null ? 'start' : serverPosition(after);
  const subscription = client.subscribeToAll({ ...options, fromPosition, filter });
  subscription.on('readable', note);
  subscription.on('caughtUp', () => {
    isLive = true;
    note();
  });
  subscription.on('fellBehind', () => {
    isLive = false;
  });
  subscription.on('error', fail);
  subscription.on('close', () => fail(new TransientError('the server ended the subscription')));
  signal.addEventListener('abort', aborted, { once: true });

  let position = after ?? '0';
  let target = end;
  try {
    for (;;) {
      signal.throwIfAborted();
      while (!hasNews && failure === null) await change();
      if (!hasNews) throw failure;
      const arrived = await received(subscription, names);
      for (const one of arrived) if (one.kind === 'settings') losing.set(one.of, one.losing);
      hasNews = subscription.readableLength > 0;
      position = laterOf(position, arrived.at(-1)?.position ?? position);
      // The client reports progress immediately, but delivers events only when they are taken.
      if (!hasNews) position = laterOf(position, checkpoint ?? position);
      // When the server has caught up it has searched everything, although its checkpoint is up to a page behind.
      const isCaughtUp = isLive && !hasNews;
      if (isCaughtUp) position = laterOf(position, end);
      const isReached = compare(position, target) >= 0;
      if (live) {
        yield { arrived, position, isCaughtUp: isCaughtUp || isReached };
        // If others never pause, the server never reports that it has caught up.
        if (isReached && !isCaughtUp) target = await endOfAll(connection);
      } else {
        const within = arrived.filter((one) => compare(one.position, end) <= 0);
        yield { arrived: within, position: isReached ? end : position, isCaughtUp: isReached };
        if (isReached) return;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  } finally {
    signal.removeEventListener('abort', aborted);
    subscription.removeAllListeners('readable').on('error', () => {});
    void subscription.unsubscribe().catch(() => {});
  }
}

/** A page of what the client has received. */
async function received(subscription: AllStreamSubscription, names: StreamNames): Promise<readonly Arrived[]> {
  const arrived: Arrived[] = [];
  let characters = 0;
  while (arrived.length < pageEvents && characters < pageCharacters) {
    const resolved: AllStreamResolvedEvent | null = subscription.read();
    if (resolved?.event !== undefined) {
      const one = arrivedOf(resolved.event, names);
      if (one !== null) arrived.push(one);
      if (one?.kind === 'event') characters += one.event.body.length;
    }
    if (resolved !== null) continue;
    // Events arrive one by one: those that the client is about to deliver belong to this page.
    await nextTurn();
    if (subscription.readableLength === 0) break;
  }
  return arrived;
}
