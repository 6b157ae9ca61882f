// What the benchmarks on Kafka send: rollouts as a run records them, and the very records that icecore makes of them.

import { bodyAt } from '../../src/ledger/event.ts';
import { sha256 } from '../../src/ledger/identity/ids.ts';
import type { OutgoingRecord } from '../../src/ledger/kafka/transport/transport.ts';
import { recordOf } from '../../src/ledger/kafka/wire.ts';
import { prepareEvents } from '../../src/ledger/prepare.ts';
import { rollouts, stream } from '../rollouts.ts';

const mostBytes = 1_000_000;

/** The records of rollouts `from` on, as they are stored at these revisions. */
export function recordsOf(from: number, count: number): readonly OutgoingRecord[] {
  const events = rollouts(from, count, 'own');
  const recordedMs = Date.now();
  return prepareEvents(stream, events, mostBytes).map((prepared, index) => {
    const revision = from + index;
    const body = bodyAt(prepared, revision, null);
    const writer = { epoch: 1, session: '0123456789abcdef', first: 0 };
    const event = events[index] as (typeof events)[number];
    return recordOf({ stream, revision, body, digest: sha256(body), previous: null, writer, recordedMs, event });
  });
}
