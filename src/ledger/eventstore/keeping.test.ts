// A ledger in EventStoreDB that the server does not keep, or that others have written to, is noticed: nothing is written where it
// would be lost, and what is gone or foreign is told.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStoreDBClient, StreamMetadata } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout, runStream } from '../contract/samples.ts';
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
/** As another process opens it. */
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
    it(`is not written, and told of with the setting: ${what}`, async () => {
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
  it('is no longer written by those who have written it before, once they hear of it', async () => {
    await client.setStreamMetadata(onServer(notesStream), { maxCount: 1 });
    await collect(ledger.readAll());
    await expect(ledger.append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
      name: 'WouldLoseHistory',
    });
  });

  it('is read by nobody who would see half of it', async () => {
    await client.setStreamMetadata(onServer(notesStream), { truncateBefore: 1 });
    server.database.scavenge();
    await client.setStreamMetadata(onServer(notesStream), {});
    const other = await ledgers.elsewhere(reopened);
    await expect(collect(other.read(notesStream))).rejects.toMatchObject({
      name: 'WouldLoseHistory',
      message: expect.stringContaining('removed before they were read'),
    });
    expect(await faultsOf(other)).toEqual([expect.stringContaining('events were removed')]);
  });
});

describe('a cursor of an append that was there already', () => {
  it('fits the ledger, whoever else wrote to the server', async () => {
    await client.appendToStream('orders-1', [foreign(randomUUID())]);
    const { cursor } = await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    expect(await collect(ledger.readAll({ after: cursor }))).toEqual([]);
  });
});

describe('a stream that was deleted', () => {
  it('softly is not written, and its events are not forgotten where they were read', async () => {
    await collect(ledger.readAll());
    await client.deleteStream(onServer(notesStream));
    await expect((await reopened()).append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
      name: 'WouldLoseHistory',
    });
    expect(await collect(ledger.read(notesStream))).toHaveLength(2);
  });

  it('for ever is not written, and told of', async () => {
    await client.tombstoneStream(onServer(notesStream));
    await expect((await reopened()).append(notesStream, [note(2)], { expect: 1 })).rejects.toMatchObject({
      name: 'WouldLoseHistory',
      message: expect.stringContaining('it was deleted'),
    });
    expect(await faultsOf(ledger)).toEqual([`kept.${notesStream}: the server does not keep all of it: it was deleted`]);
  });
});

describe('what others write', () => {
  it('into streams of their own is no part of the ledger', async () => {
    await client.appendToStream('orders-1', [foreign(randomUUID())]);
    await client.appendToStream('kept.something', [foreign(randomUUID())]);
    await client.appendToStream(`kept2.${notesStream}`, [foreign(randomUUID())]);
    expect((await ledger.head()).events).toBe(2);
    expect(await faultsOf(ledger)).toEqual([]);
  });

  it('into a stream of the ledger is shown as what it is, and no event of it', async () => {
    await client.appendToStream(onServer(notesStream), [foreign(randomUUID())]);
    const [, , found] = await collect(ledger.read(notesStream));
    expect(found).toMatchObject({ revision: 2, type: 'SomethingElse', body: '{"of":"others"}' });
    const { findings } = await verifyOpened(ledger, { blobs: null, run: null, head: null });
    expect(findings.map(({ where, kind }) => `${where} ${kind}`)).toContain(`${notesStream}@2 altered`);
  });

  it('does not keep the ledger from going on', async () => {
    await client.appendToStream(onServer(notesStream), [foreign(randomUUID())]);
    expect(await ledger.append(notesStream, [note(2)], { expect: 'any' })).toMatchObject({ revision: 3 });
  });

  it('with an id of the ledger into another stream is told of', async () => {
    await ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
    await client.appendToStream(onServer(runStream), [foreign(rollout(0).id)]);
    expect(await faultsOf(ledger)).toEqual([expect.stringContaining(rollout(0).id.replaceAll('-', ''))]);
  });
});

describe('a mirror', () => {
  it('that is gone is made anew, with the same cursors', async () => {
    const before = await collect(ledger.readAll());
    await ledgers.elsewhere(async () => {
      const events = await collect((await reopened()).readAll());
      expect(events.map(({ cursor, body }) => [cursor, body])).toEqual(
        before.map(({ cursor, body }) => [cursor, body]),
      );
    });
  });

  it('is shared by all who have the ledger open on a machine', async () => {
    const others = await Promise.all([1, 2, 3].map(reopened));
    await ledger.append(notesStream, [note(2)], { expect: 1 });
    const read = await Promise.all(others.map((other) => collect(other.readAll())));
    for (const events of read) expect(events.map(({ id }) => id)).toEqual([note(0).id, note(1).id, note(2).id]);
  });

  it('knows when the server was brought back from a backup, and keeps what that has forgotten', async () => {
    const file = join(ledgers.folder, 'log');
    const restored = await ledgers.server({ file });
    const url = `esdb://${restored.address}/kept?tls=false`;
    const first = await ledgers.open(url);
    await first.append(notesStream, [note(0)], { expect: 'none' });
    const backup = readFileSync(file);
    await first.append(notesStream, [note(1)], { expect: 0 });
    expect(await collect(first.readAll())).toHaveLength(2);
    await restored.restart(async () => writeFileSync(file, backup));
    const shrank = { name: 'HistoryShrank', message: expect.stringContaining(`${notesStream}@1`) };
    const again = await ledgers.open(url, {});
    await expect(collect(again.readAll())).rejects.toMatchObject(shrank);
    // Also by who had it open all the while, and would have gone on.
    await expect(first.append(notesStream, [note(2)], { expect: 'any' })).rejects.toMatchObject(shrank);
    // And when others have written since to what was restored.
    await ledgers.elsewhere(async () => {
      await (await ledgers.open(url, {})).append(notesStream, [note(7, 'x'.repeat(5000))], { expect: 0 });
    });
    await expect(collect((await ledgers.open(url, {})).readAll())).rejects.toMatchObject(shrank);
  });
});
