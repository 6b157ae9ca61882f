// The events of a ledger as several feeds might deliver them: each stream by one of them in order, and otherwise in any
// order, in any batches, with repeated events.
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type Digests, digestsIn } from '../digests.ts';
import { fillBatch } from '../projector/filling.ts';
import { layOut, makeStored, makeViews, markFilled, type Position } from '../projector/layout.ts';
import { Staging } from '../projector/staging.ts';
import { tableCatalogue, tableDefinitions } from '../tables/catalogue.ts';
import { fillingIn, hold } from '../warehouse/holding.ts';
import type { Draw } from './random/words.ts';

/** The digests of tables that were filled like this, in a new file. */
export async function filledByFeeds(ledger: Ledger, path: string, draw: Draw): Promise<Digests> {
  const read: Ledger['read'] = (stream, options) => ledger.read(stream, options);
  const feeds = await feedsOf(ledger, 1 + draw.below(3), draw);
  const held = await hold(path, fillingIn(path));
  try {
    const connection = await held.connect();
    await layOut(connection, ledger.id);
    await makeStored(connection, tableDefinitions());
    await markFilled(connection, tableDefinitions(), tableCatalogue());
    await makeViews(connection, tableDefinitions());
    for (let left = feeds.filter(isUnread); left.length > 0; left = feeds.filter(isUnread)) {
      const feed = draw.pick(left);
      // At-least-once delivery starts again a little before the previous position.
      const from = Math.max(0, feed.read - (draw.chance(30) ? draw.below(4) : 0));
      const to = Math.min(feed.events.length, feed.read + 1 + draw.below(draw.pick([3, 30, feed.events.length])));
      const staging = new Staging(`${path}.staging`);
      const writer = staging.begin();
      for (const event of feed.events.slice(from, to)) writer.add(event);
      const batch = writer.end();
      if (batch === null) throw new Error('a batch of nothing');
      feed.read = to;
      feed.position = await fillBatch(connection, tableCatalogue(), batch, { id: feed.name, read }, feed.position);
      staging.close();
    }
    return comparable(await digestsIn(connection, 'tables and views'));
  } finally {
    held.release();
  }
}

/** The position of each feed is irrelevant. */
export function comparable(digests: Digests): Digests {
  return Object.fromEntries(Object.entries(digests).filter(([relation]) => relation !== 'log.cursors'));
}

interface Feed {
  readonly name: string;
  readonly events: readonly StoredEvent[];
  read: number;
  position: Position | null;
}

function isUnread({ events, read }: Feed): boolean {
  return read < events.length;
}

async function feedsOf(ledger: Ledger, count: number, draw: Draw): Promise<readonly Feed[]> {
  const streams = new Map<string, StoredEvent[]>();
  for await (const page of ledger.readAll({}))
    for (const event of page) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  const feeds = Array.from({ length: count }, (): StoredEvent[][] => []);
  for (const events of streams.values()) feeds[draw.below(count)]?.push(events);
  return feeds.map((streams, place) => ({
    name: `feed ${place}`,
    events: merged(streams, draw),
    read: 0,
    position: null,
  }));
}

/** In any order that keeps the order of each stream. */
function merged(streams: readonly (readonly StoredEvent[])[], draw: Draw): StoredEvent[] {
  const left = streams.map((events) => [...events]);
  const events: StoredEvent[] = [];
  for (let open = left.filter(hasMore); open.length > 0; open = left.filter(hasMore))
    events.push(...draw.pick(open).splice(0, 1 + draw.below(6)));
  return events;
}

function hasMore(events: readonly unknown[]): boolean {
  return events.length > 0;
}
