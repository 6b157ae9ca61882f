// The rollouts that an event names among its causes, in their order.
import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { RolloutSpan } from '../run/history.ts';

export function spansOf({ envelope }: StoredEvent): readonly RolloutSpan[] {
  return envelope.causes.filter((cause) => 'stream' in cause);
}

/** Between pages, somebody who wants it to stop is heard. */
export async function* rolloutsIn(
  { ledger, signal }: { readonly ledger: Ledger; readonly signal: AbortSignal },
  spans: readonly RolloutSpan[],
): AsyncGenerator<EventData['RolloutRecorded'], void, undefined> {
  for (const { stream, from, to } of spans) {
    let next = from;
    for await (const events of ledger.read(stream, { from, to })) {
      await setImmediate();
      signal.throwIfAborted();
      for (const { reading, revision } of events) {
        // A store may deliver an event again.
        if (revision < next) continue;
        next = revision + 1;
        if (reading.known && reading.type === 'RolloutRecorded') yield reading.data;
      }
    }
  }
}
