// Which events of an append are in their stream already. Ids that only ever rise, as icecore's own do, are told by the highest
// so far; others are looked up in the index, and the events read.

import type { Stored } from '../remote/planning.ts';
import type { StoredEvent } from '../stored.ts';
import type { Index, StreamFound } from './index/index.ts';
import { joined } from './ranges.ts';

/** 32 hexadecimal digits, as the index knows an id. */
export function plainId(id: string): string {
  return id.replaceAll('-', '');
}

interface Revisions {
  readonly from: number;
  readonly to: number;
}

type ReadStream = (revisions: Revisions) => AsyncIterable<readonly StoredEvent[]>;

/** What is stored of the events with these ids. */
export async function storedOf(
  ids: readonly string[],
  found: StreamFound | null,
  index: Index,
  read: ReadStream,
): Promise<ReadonlyMap<string, Stored>> {
  const stored = new Map<string, Stored>();
  if (found === null || index.highs(found.number).areNew(ids.map(plainId))) return stored;
  const asked = new Map(ids.map((id) => [plainId(id), id]));
  const places = [...asked.keys()].map((id) => index.placeOfId(found.number, id)).filter((place) => place !== null);
  for (const { first, last } of joined(places.map(({ from, to }) => ({ first: from, last: to })))) {
    for await (const events of read({ from: first, to: last })) {
      for (const { filedId, revision, digest, body } of events) {
        const id = asked.get(filedId);
        if (id !== undefined) stored.set(id, { revision, digest, body });
      }
    }
  }
  return stored;
}
