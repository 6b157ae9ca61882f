// Following the ledger live: a subscription fills the mirror, and what comes into the mirror, by this process or another, is given
// to whoever follows.
import type { Delivery, SubscribeOptions } from '../ledger.ts';
import { Stumble } from '../remote/stumble.ts';
import type { CatchingUp } from './catching-up.ts';
import type { Connection } from './connection.ts';
import type { Feeds } from './mirror/feeds.ts';

export async function* follow(
  connection: Connection,
  catchingUp: CatchingUp,
  feeds: Feeds,
  options: SubscribeOptions,
  signal: AbortSignal,
): AsyncGenerator<Delivery> {
  if (signal.aborted) return;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  let failure: unknown = null;
  try {
    await catchingUp.toNow(ended);
    const filling = fill(connection, catchingUp, ended).catch((error: unknown) => {
      if (!ended.aborted) failure = error;
      over.abort();
    });
    yield* feeds.live({ ...options, signal: ended });
    if (failure !== null) throw failure;
    over.abort();
    await filling;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    over.abort();
  }
}

/** Begins again where a subscription was dropped. Each one that came to say something is a new beginning for the patience. */
async function fill(connection: Connection, catchingUp: CatchingUp, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    await connection.patiently(async () => {
      let isHeard = false;
      try {
        for await (const _ of catchingUp.follow(signal)) isHeard = true;
      } catch (error) {
        if (!isHeard || !(error instanceof Stumble)) throw error;
      }
    }, signal);
  }
}
