// The client alone, as in its documentation.
import { type EventData, EventStoreDBClient } from '@eventstore/db-client';
import { bodyAt } from '../../src/ledger/event.ts';
import { sha256 } from '../../src/ledger/identity/ids.ts';
import { prepareEvents } from '../../src/ledger/prepare.ts';
import { rollouts, stream } from '../rollouts.ts';

const mostBytes = 1_000_000;

/** Rollouts from `from` on, as icecore sends them at these revisions. */
export function eventsOf(from: number, count: number): EventData[] {
  const events = rollouts(from, count, 'own');
  return prepareEvents(stream, events, mostBytes).map((prepared, index) => {
    const body = bodyAt(prepared, from + index, null);
    const { id, type } = prepared;
    const data = JSON.parse(body) as Record<string, unknown>;
    return { id, type, contentType: 'application/json', data, metadata: { digest: sha256(body) } };
  });
}

export class Bare {
  readonly #client: EventStoreDBClient;

  constructor(address: string) {
    this.#client = EventStoreDBClient.connectionString(`esdb://${address}?tls=false`);
  }

  async append(to: string, behind: number, events: EventData[]): Promise<void> {
    const expectedRevision = behind < 0 ? 'no_stream' : BigInt(behind);
    await this.#client.appendToStream(to, events, { expectedRevision });
  }

  /** All events of a stream. */
  async read(from: string): Promise<number> {
    let events = 0;
    for await (const _ of this.#client.readStream(from)) events++;
    return events;
  }

  async close(): Promise<void> {
    await this.#client.dispose();
  }
}
