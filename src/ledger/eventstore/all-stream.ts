// All events in the ledger's streams after a position, through a subscription to $all that the server filters by stream names.
// Most events of the server may belong to others: its checkpoints report how far it has searched, and count as progress.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type ReadPosition,
  streamNameFilter,
} from '@eventstore/db-client';
import { TransientError } from '../remote/errors.ts';
import type { Position } from '../remote/log.ts';
import { type Connection, failureOf } from './connection.ts';
import { type Arrived, arrivedOf, compare, laterOf, positionText, type StreamNames, serverPosition } from './wire.ts';

const pageRecords = 500;
const pageCharacters = 2 ** 20;
/** The server searches this many events of others at a time, and sends a checkpoint after the same number. */
const searchWindow = 1_000;

export interface ArrivedPage {
  readonly arrived: readonly Arrived[];
  /** Everything up to this position was read, including records of other programs. */
  readonly position: Position;
  readonly isCaughtUp: boolean;
}

/** The end of the server's log; null: the log is empty. */
export async function endOfAll(connection: Connection): Promise<Position | null> {
  return await connection.ask(async (client, options) => {
    const read = client.readAll({ ...options, direction: 'backwards', fromPosition: 'end', maxCount: 1 });
    for await (const { event } of read) if (event !== undefined) return positionText(event.position);
    return null;
  });
}

interface Span {
  readonly after: Position | null;
  /** The end of the server's log when the reading started, or earlier. */
  readonly end: Position;
  /** Continues with what comes after the end. */
  readonly live: boolean;
}

/** Throws ServerRejected if the server has no such position. */
export async function* eventsAfter(
  connection: Connection,
  names: StreamNames,
  { after, end, live }: Span,
  signal: AbortSignal,
): AsyncGenerator<ArrivedPage> {
  const incoming = new Incoming(connection, names, after, signal);
  let position = after ?? '0';
  let target = end;
  try {
    for (;;) {
      const { arrived, checkpoint, isCaughtUp } = await incoming.page(live ? null : connection.quietMs);
      const last = arrived.at(-1);
      if (last !== undefined) position = laterOf(position, last.position);
      if (checkpoint !== null) position = laterOf(position, checkpoint);
      // When the server has caught up it has searched everything, although its checkpoint is up to a page behind.
      if (isCaughtUp) position = laterOf(position, end);
      const isReached = compare(position, target) >= 0;
      if (live) {
        yield { arrived, position, isCaughtUp: isCaughtUp || isReached };
        // If others never pause, the server never reports that it has caught up.
        if (isReached && !isCaughtUp) target = (await endOfAll(connection)) ?? target;
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
    incoming.stop();
  }
}

/**
 * The messages of the subscription in pages: messages that arrive while a page is in use form the next one. The client reports
 * progress immediately, but delivers events only when they are taken: progress counts once all received events are taken.
 */
class Incoming {
  readonly #subscription: AllStreamSubscription;
  readonly #signal: AbortSignal;
  readonly #names: StreamNames;
  #arrived: Arrived[] = [];
  #characters = 0;
  #checkpoint: Position | null = null;
  /** Messages since the last page. */
  #hasCaughtUp = false;
  #isLive = false;
  #hasNews = false;
  #error: unknown = null;
  #wake: () => void = () => {};

  constructor({ client, options }: Connection, names: StreamNames, after: Position | null, signal: AbortSignal) {
    this.#names = names;
    this.#signal = signal;
    const fromPosition: ReadPosition = after === null ? 'start' : serverPosition(after);
    const filter = streamNameFilter({
      prefixes: [...names.prefixes],
      maxSearchWindow: searchWindow,
      checkpointInterval: 1,
      checkpointReached: (_, position) => this.#note(() => (this.#checkpoint = positionText(position))),
    });
    this.#subscription = client.subscribeToAll({ ...options, fromPosition, filter });
    this.#subscription.on('data', (resolved: AllStreamResolvedEvent) => this.#take(resolved));
    this.#subscription.on('caughtUp', () => this.#note(() => (this.#isLive = this.#hasCaughtUp = true)));
    this.#subscription.on('fellBehind', () => this.#note(() => (this.#isLive = false)));
    this.#subscription.on('error', (error) => this.#fail(error));
    for (const end of ['end', 'close'] as const) {
      this.#subscription.on(end, () => this.#fail(new TransientError('the server ended the subscription')));
    }
    signal.addEventListener('abort', this.#aborted, { once: true });
    if (signal.aborted) this.#aborted();
  }

  /** Throws the error that ended the subscription, and TransientError after `quietMs` without a message. */
  async page(
    quietMs: number | null,
  ): Promise<{ arrived: readonly Arrived[]; checkpoint: Position | null; isCaughtUp: boolean }> {
    while (!this.#hasNews) {
      if (this.#error !== null) throw this.#error;
      await this.#change(quietMs);
    }
    // Events arrive one by one; those that the client has already received belong to this page.
    if (!this.#isFull) await nextTurn();
    const isDrained = this.#subscription.readableLength === 0;
    const page = {
      arrived: this.#arrived,
      checkpoint: isDrained ? this.#checkpoint : null,
      isCaughtUp: isDrained && (this.#hasCaughtUp || this.#isLive),
    };
    if (isDrained) this.#hasCaughtUp = false;
    [this.#arrived, this.#characters, this.#hasNews] = [[], 0, false];
    this.#subscription.resume();
    return page;
  }

  get #isFull(): boolean {
    return this.#arrived.length >= pageRecords || this.#characters >= pageCharacters;
  }

  stop(): void {
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#subscription.removeAllListeners('data').on('error', () => {});
    void this.#subscription.unsubscribe().catch(() => {});
  }

  readonly #aborted = (): void => this.#fail(this.#signal.reason);

  #take({ event }: AllStreamResolvedEvent): void {
    try {
      const arrived = event === undefined ? null : arrivedOf(event, this.#names);
      if (arrived !== null) this.#arrived.push(arrived);
      if (arrived?.kind === 'event') this.#characters += arrived.event.body.length;
    } catch (error) {
      this.#fail(error);
    }
    if (this.#isFull) this.#subscription.pause();
    this.#note();
  }

  #note(change?: () => void): void {
    change?.();
    this.#hasNews = true;
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#wake();
  }

  #change(quietMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const quiet = (): void => this.#fail(new TransientError('the subscription is silent'));
      const timer = quietMs === null ? undefined : setTimeout(quiet, quietMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
    });
  }
}
