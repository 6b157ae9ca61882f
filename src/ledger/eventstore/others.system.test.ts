// A ledger on a server that mostly belongs to others, and how other programs see it.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { foreign, Ledgers } from './testing/ledgers.ts';
import { notLeader, unknownRefusal } from './testing/refusals.ts';
import type { TestServer } from './testing/server.ts';

let ledgers: Ledgers;
let server: TestServer;
let ledger: Ledger;

const at = (): string => `esdb://${server.address}/among?tls=false`;

beforeEach(async () => {
  ledgers = new Ledgers();
  server = await ledgers.server();
  ledger = await ledgers.open(at());
});
afterEach(() => ledgers.close());

/** Events of others, put into the server without a call for each. */
function appendForeign(count: number): void {
  const { type, data } = foreign(randomUUID());
  const bytes = Buffer.from(JSON.stringify(data));
  const events = Array.from({ length: count }, () => {
    return { id: randomUUID(), type, isJson: true, data: bytes, metadata: Buffer.alloc(0) };
  });
  server.database.append('orders-1', 'any', events);
}

function directoryFile(): string {
  const folder = join(ledgers.folder, 'eventstore');
  const [own = ''] = readdirSync(folder);
  return join(folder, own, 'directory-2.json');
}

describe('50,000 events of other programs', () => {
  beforeEach(async () => {
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    appendForeign(50_000);
  });

  it('are skipped although the connection breaks every few checkpoints, and are not read again by another process', async () => {
    server.faults.dropSubscriptions(6, 'cut', 12);
    expect((await ledger.head()).events).toBe(1);
    // A thousand events per checkpoint, and one additional page per connection.
    expect(server.said).toBeLessThan(80);
    server.faults.heal();
    await ledger.close();
    const before = server.said;
    appendForeign(1);
    expect((await (await ledgers.open(at(), {})).head()).events).toBe(1);
    expect(server.said - before).toBeLessThan(4);
  });

  it('count as progress for a subscription, which resumes after them from its cursor', async () => {
    let cursor = '';
    for await (const delivery of ledger.subscribe()) {
      ({ cursor } = delivery);
      if (delivery.kind === 'caught-up') break;
    }
    await ledger.append(notesStream, [note(1)], { expect: 0 });
    const before = server.said;
    expect((await collect(ledger.readAll({ after: cursor }))).map(({ id }) => id)).toEqual([note(1).id]);
    expect(server.said - before).toBeLessThan(4);
  });
});

describe('a position that the server no longer knows', () => {
  it('in the saved directory causes a scan from the beginning', async () => {
    await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    await ledger.head();
    const saved = JSON.parse(readFileSync(directoryFile(), 'utf8')) as { position: string };
    writeFileSync(directoryFile(), JSON.stringify({ ...saved, position: `${Number(saved.position) + 1}` }));
    appendForeign(3);
    expect((await (await ledgers.open(at(), {})).head()).events).toBe(2);
  });

  it('in a cursor is searched from the beginning', async () => {
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    const { cursor } = await ledger.head();
    await ledger.append(notesStream, [note(1)], { expect: 0 });
    const within = cursor.replace(/[0-9]+$/, (position) => `${Number(position) + 1}`);
    expect((await collect(ledger.readAll({ after: within }))).map(({ id }) => id)).toEqual([note(1).id]);
  });

  it('is replaced by a scan if the saved directory is not JSON', async () => {
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    await ledger.head();
    writeFileSync(directoryFile(), '{"version":2,"posi');
    expect((await (await ledgers.open(at(), {})).head()).events).toBe(1);
  });
});

describe('a failed append', () => {
  it('with an unknown refusal throws an error with its facts', async () => {
    server.faults.strike({ refusal: unknownRefusal() });
    await expect(ledger.append(notesStream, [note(0)], { expect: 'none' })).rejects.toMatchObject({
      name: 'ServerRejected',
      message: expect.stringContaining('The moon is full'),
      facts: { code: 9 },
    });
  });

  it('with a late answer is repeated, and nothing is stored twice', async () => {
    const hasty = await ledgers.open(`${at()}&patience=1`);
    const held = Promise.withResolvers<void>();
    server.faults.strike({ heldUntil: held.promise });
    // The first answer is held back for longer than the patience; the append is sent again.
    expect(await hasty.append(notesStream, [note(0)], { expect: 'none' })).toMatchObject({ existed: [false] });
    held.resolve();
    await hasty.append(notesStream, [note(1)], { expect: 0 });
    expect(await collect(ledger.read(notesStream))).toHaveLength(2);
  });

  it('during an election is repeated with the new leader', async () => {
    const follower = await ledgers.server({ beside: server });
    const there = await ledgers.open(`esdb://${server.address}/among?tls=false`);
    const appends = [0, 1, 2].map((i) => there.append(notesStream, [note(i)], { expect: 'any' }));
    server.faults.strike({ lost: 'after', how: 'timeout' });
    server.faults.strike({ refusal: notLeader(follower.endpoint) });
    await Promise.all(appends);
    expect((await collect(there.read(notesStream))).map(({ id }) => id)).toEqual([0, 1, 2].map((i) => note(i).id));
  });
});

describe('a program without icecore', () => {
  it('gets the same counts as icecore by streams and types, and reads the fields of events', async () => {
    await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    await ledger.append(evidenceStream, someRollouts(0, 30), { expect: 'any' });
    appendForeign(5);
    const client = EventStoreDBClient.connectionString(`esdb://${server.address}?tls=false`);
    const counts = new Map<string, number>();
    let left = 33;
    for await (const { event } of client.subscribeToAll({ filter: streamNameFilter({ prefixes: ['among.'] }) })) {
      if (event !== undefined) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
      if (--left === 0) break;
    }
    expect(counts.get('RunAnnotated')).toBe(2);
    const { LedgerMade: made, ...own } = Object.fromEntries(counts);
    expect(made).toBe(1);
    expect(Object.values(own).reduce((sum, one) => sum + one)).toBe((await ledger.head()).events);
    const notes = [];
    for await (const { event } of client.readStream(`among.${notesStream}`)) notes.push(event?.data);
    expect(notes).toEqual([note(0).data, note(1).data]);
    void client.dispose();
  });
});
