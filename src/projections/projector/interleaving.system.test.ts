// Several stores may feed the same tables; the order of their events is arbitrary, and some may be repeated.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect } from '../../ledger/contract/fixture.ts';
import { openLedger } from '../../ledger/open.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type Digests, digestsIn } from '../digests.ts';
import { tableCatalogue, tableDefinitions } from '../tables/catalogue.ts';
import { writeVaried } from '../testing/varied.ts';
import { fillBatch } from './filling.ts';
import { layOut, makeStored, makeViews, positionOf, rowsOf } from './layout.ts';
import { Staging } from './staging.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-interleaving-'));
let events: readonly StoredEvent[];
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let expected: Digests;

/** A batch as it arrives. */
interface Delivery {
  readonly feed: string;
  readonly events: readonly StoredEvent[];
}

beforeAll(async () => {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  await writeVaried(ledger, 30);
  events = await collect(ledger.readAll());
  await ledger.close();
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await layOut(connection, 'a ledger');
  await makeStored(connection, tableDefinitions());
  await makeViews(connection, tableDefinitions());
  expected = await digestsOf([{ feed: 'one', events }], 'tables and views');
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

async function digestsOf(deliveries: readonly Delivery[], compared: 'tables' | 'tables and views'): Promise<Digests> {
  const stored = tableDefinitions().flatMap((definition) => [...definition.stored.keys()]);
  for (const table of [...stored, 'streams', 'owners', 'cursors']) await connection.run(`DELETE FROM log.${table}`);
  for (const delivery of deliveries) await fill(delivery);
  const digests = await digestsIn(connection, compared);
  return Object.fromEntries(Object.entries(digests).filter(([name]) => name !== 'log.cursors'));
}

async function fill({ feed, events: delivered }: Delivery): Promise<void> {
  const staging = new Staging(join(folder, 'staging'));
  const writer = staging.begin();
  for (const event of delivered) writer.add(event);
  const batch = writer.end();
  if (batch === null) return staging.close();
  const source = {
    id: feed,
    read: async function* (stream: string, { to = Infinity } = {}) {
      yield events.filter((event) => event.stream === stream && event.revision <= to);
    },
  };
  await fillBatch(connection, tableCatalogue(), batch, source, await positionOf(connection, feed));
  staging.close();
}

/** Two feeds, each in its own order, cut into batches that are interleaved arbitrarily; some are repeated. */
function deliveries(all: readonly StoredEvent[]): fc.Arbitrary<readonly Delivery[]> {
  const streams = [...new Set(all.map((event) => event.stream))];
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
  return fc
    .record({
      firsts: fc.subarray(streams),
      one: cuts,
      other: cuts,
      order: fc.infiniteStream(fc.boolean()),
      again: fc.nat(),
    })
    .map(({ firsts, one, other, order, again }) => {
      const isFirst = (event: StoredEvent): boolean => firsts.includes(event.stream);
      const queues = [
        inPieces('one', all.filter(isFirst), one),
        inPieces(
          'other',
          all.filter((event) => !isFirst(event)),
          other,
        ),
      ] as const;
      const arrived: Delivery[] = [];
      for (const goesFirst of order) {
        const next = queues[goesFirst ? 0 : 1].shift() ?? queues[goesFirst ? 1 : 0].shift();
        if (next === undefined) break;
        arrived.push(next);
      }
      const repeated = arrived[again % arrived.length];
      return repeated === undefined ? arrived : [...arrived, repeated];
    });
}

function inPieces(feed: string, all: readonly StoredEvent[], cuts: readonly number[]): Delivery[] {
  const pieces: Delivery[] = [];
  let from = 0;
  for (const cut of cuts) {
    pieces.push({ feed, events: all.slice(from, from + cut) });
    from += cut;
  }
  return [...pieces, { feed, events: all.slice(from) }];
}

describe('tables of several feeds', () => {
  it('equal those of one feed, for any order and repetition', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries(events), async (arrived) => {
        const { 'log.cursors': _, ...found } = await digestsOf(arrived, 'tables');
        for (const [name, digest] of Object.entries(found)) expect([name, digest]).toEqual([name, expected[name]]);
      }),
      { numRuns: 3 },
    );
  });

  it('have equal public views', async () => {
    const backwards = [...new Set(events.map((event) => event.stream))]
      .reverse()
      .map((stream) => ({ feed: stream, events: events.filter((event) => event.stream === stream) }));
    expect(await digestsOf(backwards, 'tables and views')).toEqual(expected);
  });

  it('count each event once', async () => {
    await digestsOf(
      [
        { feed: 'one', events },
        { feed: 'one', events },
        { feed: 'other', events: [...events, ...events] },
        { feed: 'other', events: events.slice(-3) },
      ],
      'tables',
    );
    expect((await positionOf(connection, 'one'))?.events).toBe(events.length);
    expect((await positionOf(connection, 'other'))?.events).toBe(0);
    expect(await rowsOf(connection, 'SELECT count(*)::INTEGER AS events FROM events')).toEqual([
      { events: events.length },
    ]);
  });
});
