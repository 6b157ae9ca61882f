// Events for tests of a server, and short words for what tests do with a client.
import { randomUUID } from 'node:crypto';
import {
  type AllStreamSubscription,
  EventStoreDBClient,
  type JSONEventData,
  type JSONEventType,
  jsonEvent,
  type StreamSubscription,
} from '@eventstore/db-client';

export type Said = JSONEventData<JSONEventType<string, { n: number }>>;

export function said(...numbers: readonly number[]): Said[] {
  return numbers.map((n) => jsonEvent({ type: 'Said', data: { n } }));
}

/** Nobody else has a stream of this name. */
export function newName(about = 'talk'): string {
  return `${about}-${randomUUID()}`;
}

export function connect(connection: string): EventStoreDBClient {
  return EventStoreDBClient.connectionString(connection);
}

interface Resolved {
  readonly event?: { readonly type: string; readonly data: unknown };
}

export async function heard(events: AsyncIterable<Resolved>): Promise<unknown[]> {
  return (await collected(events)).map(({ event }) => numberIn(event?.data));
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** `n`, where it has one. */
export function numberIn(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'n' in data ? data.n : data;
}

/** What a subscription is told until it was told so much: numbers, and words for what is no event. */
export class Listener {
  readonly told: unknown[] = [];
  readonly types: unknown[] = [];
  readonly ended: Promise<unknown>;
  readonly #subscription: AllStreamSubscription | StreamSubscription;
  readonly #checks = new Set<() => void>();

  constructor(subscription: AllStreamSubscription | StreamSubscription) {
    this.#subscription = subscription;
    this.ended = new Promise((resolve) => {
      subscription.on('error', (error) => resolve(error));
    });
    subscription.on('confirmation', () => this.hear('confirmed'));
    subscription.on('caughtUp', () => this.hear('caught up'));
    subscription.on('data', ({ event }: Resolved) => {
      this.types.push(event?.type);
      this.hear(numberIn(event?.data));
    });
  }

  hear(what: unknown): void {
    this.told.push(what);
    for (const check of this.#checks) check();
  }

  /** Resolves when it was told this as often as that. */
  until(what: unknown, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.told.filter((each) => each === what).length < times) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }

  stop(): Promise<void> {
    return this.#subscription.unsubscribe();
  }
}
