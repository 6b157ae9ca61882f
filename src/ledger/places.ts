// One event by its place, and how a place is written.
import type { Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

export interface Place {
  readonly stream: string;
  readonly revision: number;
}

/** `run-x@4`, as people and findings name an event. */
export function placeOf({ stream, revision }: Place): string {
  return `${stream}@${revision}`;
}

/** Null where there is none. */
export async function eventAt(ledger: Ledger, { stream, revision }: Place): Promise<StoredEvent | null> {
  for await (const [event] of ledger.read(stream, { from: revision, to: revision })) return event ?? null;
  return null;
}

/** Null where the stream has no events. */
export async function lastOf(ledger: Ledger, stream: string): Promise<StoredEvent | null> {
  for await (const [event] of ledger.read(stream, { backwards: true, limit: 1 })) return event ?? null;
  return null;
}
