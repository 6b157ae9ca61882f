// The ledger detects when the server would not keep its events, or when others have written to it: nothing is written where it
// would be lost, and missing or foreign events are reported.
import { randomUUID } from 'node:crypto';
import type { EventStoreDBClient, StreamMetadata } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { note, notesStream, run } from '../contract/samples.ts';
import { checkLedger } from '../health.ts';
import type { Ledger } from '../ledger.ts';
import { verifyOpened } from '../verify/verify.ts';
import { foreign, Ledgers } from './testing/ledgers.ts';
import type { TestServer } from './testing/server.ts';

let ledgers: Ledgers;
let server: TestServer;
let client: EventStoreDBClient;
let ledger: Ledger;

const at = (): string => `esdb://${server.address}/kept?tls=false`;
const onServer = (stream: string): string => `kept.${stream}`;
/** Opens it like another process. */
const reopened = (): Promise<Ledger> => ledgers.open(at(), {});

beforeEach(async () => {
  ledgers = new Ledgers();
  server = await ledgers.server();
  client = ledgers.client(server);
  ledger = await ledgers.open(at());
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
});
afterEach(() => ledgers.close());

async function faultsOf(of: Ledger): Promise<string[]> {
  const faults: string[] = [];
  for await (const { where, what } of of.audit()) faults.push(`${where}: ${what}`);
  return faults;
}

describe('a stream whose settings let the server remove events', () => {
  const settings: readonly [string, StreamMetadata][] = [
    ['$maxCount is 1', { maxCount: 1 }],
    ['$maxAge is 60', { maxAge: 60 }],
    ['$tb is 1', { truncateBefore: 1 }],
  ];
  for (const [what, metadata] of settings) {
    it(`is not written, and reported with the setting: ${what}`, async () => {
      await client.setStreamMetadata(onServer(notesStream), metadata);
      const [setting] = what.split(' ');
      await expect((await reopened()).append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
        name: 'WouldLoseHistory',
        message: `kept.${notesStream} does not keep its history: ${what}`,
        remedy: expect.stringContaining(`without ${setting}`),
      });
      expect(await faultsOf(ledger)).toEqual([`kept.${notesStream}: the server does not keep all of it: ${what}`]);
      const checks = await checkLedger(at());
      expect(checks.find(({ name }) => name === 'history')).toMatchObject({ status: 'failed' });
    });
  }

  it('is written again once it keeps everything', async () => {
    await client.setStreamMetadata(onServer(notesStream), { maxCount: 1 });
    await client.setStreamMetadata(onServer(notesStream), {});
    expect(await (await reopened()).append(notesStream, [note(2)], { expect: 1 })).toMatchObject({ revision: 2 });
    expect(await faultsOf(ledger)).toEqual([]);
  });
});

describe('a stream that no longer keeps its history', () => {
  it('is no longer written by earlier writers, once they see the setting', async () => {
    await client.setStreamMetadata(onServer(notesStream), { maxCount: 1 });
    await collect(ledger.readAll());
    await expect(ledger.append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
      name: 'WouldLoseHistory',
    });
  });

  it('is not read, since part of it would be missing', async () => {
    await client.setStreamMetadata(onServer(notesStream), { truncateBefore: 1 });
    server.database.scavenge();
    await client.setStreamMetadata(onServer(notesStream), {});
    const other = await ledgers.elsewhere(reopened);
    await expect(collect(other.read(notesStream))).rejects.toMatchObject({
      name: 'WouldLoseHistory',
      message: expect.stringContaining('removed before they were read'),
    });
    const isRemoved = expect.stringContaining('events were removed');
    expect(await faultsOf(other)).toEqual([isRemoved, isRemoved]);
  });
});

describe('the cursor of a repeated append', () => {
  it('is valid, even if others wrote to the server', async () => {
    await client.appendToStream('orders-1', [foreign(randomUUID())]);
    const { cursor } = await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    expect(await collect(ledger.readAll({ after: cursor }))).toEqual([]);
  });
});

describe('a deleted stream', () => {
  it('with a soft delete is neither written nor treated as never existing', async () => {
    await client.deleteStream(onServer(notesStream));
    await expect((await reopened()).append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
      name: 'WouldLoseHistory',
    });
    await expect(collect(ledger.read(notesStream))).rejects.toMatchObject({ name: 'WouldLoseHistory' });
  });

  it('with a tombstone is not written, and reported', async () => {
    await client.tombstoneStream(onServer(notesStream));
    await expect((await reopened()).append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
      name: 'WouldLoseHistory',
      message: expect.stringContaining('it was deleted'),
    });
    expect(await faultsOf(ledger)).toEqual([`kept.${notesStream}: the server does not keep all of it: it was deleted`]);
  });
});

describe('events of other programs', () => {
  const saysForeign = `another program wrote this record: it has no digest of icecore. Reading skips it, and no event is lost. Let other programs write to no stream whose name begins with "kept."`;

  it('in separate streams are not part of the ledger', async () => {
    await client.appendToStream('orders-1', [foreign(randomUUID())]);
    await client.appendToStream('kept.something', [foreign(randomUUID())]);
    await client.appendToStream(`kept2.${notesStream}`, [foreign(randomUUID())]);
    expect((await ledger.head()).events).toBe(2);
    expect(await faultsOf(ledger)).toEqual([]);
  });

  it('in a stream of the ledger are reported, and are not events of it', async () => {
    await client.appendToStream(onServer(notesStream), [foreign(randomUUID())]);
    expect(await collect(ledger.read(notesStream))).toHaveLength(2);
    expect(await collect(ledger.readAll())).toHaveLength(2);
    expect((await ledger.head()).events).toBe(2);
    expect(await faultsOf(ledger)).toEqual([`${notesStream}@2: ${saysForeign}`]);
  });

  it.each(['at the end', 'in the middle'])(
    'in a stream of a run, %s, give the same finding for the run and for everything',
    async (where) => {
      await client.appendToStream(onServer(notesStream), [foreign(randomUUID())]);
      if (where === 'in the middle') await ledger.append(notesStream, [note(2)], { expect: 'any' });
      for (const scope of [null, run]) {
        const { findings, tally } = await verifyOpened(await reopened(), { blobs: null, run: scope, head: null });
        expect(findings).toEqual([{ kind: 'store', where: `${notesStream}@2`, event: null, says: saysForeign }]);
        expect(tally.events).toBe(where === 'in the middle' ? 3 : 2);
      }
      const other = await verifyOpened(ledger, { blobs: null, run: 'another', head: null });
      expect(other.findings).toEqual([]);
    },
  );

  it('do not prevent further appends', async () => {
    await client.appendToStream(onServer(notesStream), [foreign(randomUUID())]);
    expect(await ledger.append(notesStream, [note(2)], { expect: 'any' })).toMatchObject({ revision: 3 });
    expect(await ledger.append(notesStream, [note(3)], { expect: 3 })).toMatchObject({ revision: 4 });
    expect(await (await reopened()).append(notesStream, [note(2), note(4)], { expect: 'any' })).toMatchObject({
      revision: 5,
      existed: [true, false],
    });
  });
});

describe('a directory of streams', () => {
  it('that is deleted is rebuilt, with the same cursors', async () => {
    const before = await collect(ledger.readAll());
    await ledgers.elsewhere(async () => {
      const events = await collect((await reopened()).readAll());
      expect(events.map(({ cursor, body }) => [cursor, body])).toEqual(
        before.map(({ cursor, body }) => [cursor, body]),
      );
    });
  });

  it('is shared by all processes of a machine', async () => {
    const others = await Promise.all([1, 2, 3].map(reopened));
    await ledger.append(notesStream, [note(2)], { expect: 1 });
    const read = await Promise.all(others.map((other) => collect(other.readAll())));
    for (const events of read) expect(events.map(({ id }) => id)).toEqual([note(0).id, note(1).id, note(2).id]);
  });

  it('detects that the server was restored from an older backup', async () => {
    const restored = await ledgers.server();
    const url = `esdb://${restored.address}/kept?tls=false`;
    const first = await ledgers.open(url);
    await first.append(notesStream, [note(0)], { expect: 'none' });
    const backup = [...restored.database.all];
    await first.append(notesStream, [note(1)], { expect: 0 });
    const seen = await ledgers.open(url, {});
    expect((await seen.head()).events).toBe(2);
    await seen.close();
    await restored.restart(async () => restored.database.restore(backup));
    const shrank = { name: 'HistoryShrank', message: expect.stringContaining(`${notesStream}@1`) };
    await expect((await ledgers.open(url, {})).head()).rejects.toMatchObject(shrank);
    // Also a session that had it open all the time must not continue.
    await expect(first.append(notesStream, [note(2)], { expect: 'any' })).rejects.toMatchObject(shrank);
    // The same if others have written to the restored server since.
    await ledgers.elsewhere(async () => {
      await (await ledgers.open(url, {})).append(notesStream, [note(7, 'x'.repeat(5000))], { expect: 0 });
    });
    await expect((await ledgers.open(url, {})).head()).rejects.toMatchObject(shrank);
  });
});
