// What only a server of one's own can show: what it keeps and forgets, who may come in, and every fault on demand.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AccessDeniedError,
  ANY,
  type EventStoreDBClient,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  NotLeaderError,
  START,
  STREAM_EXISTS,
  StreamNotFoundError,
  UnavailableError,
} from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeCertificate } from './certificate.ts';
import { startEventStore } from './eventstore.ts';
import { Faults } from './faults.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';
import { collected, connect, heard, Listener, said } from './talk.ts';

let folder: string;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-esdb-test-'));
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

async function started(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  closing.push(() => server.stop());
  return server;
}

function clientOf(server: TestServer): EventStoreDBClient {
  return connected(`esdb://${server.address}?tls=false`);
}

function connected(connection: string): EventStoreDBClient {
  const client = connect(connection);
  closing.push(() => client.dispose());
  return client;
}

/** Clients of one process share connections: it takes a call to notice that one is gone, and a while to have another. */
async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

async function clientAfterRestart(server: TestServer): Promise<EventStoreDBClient> {
  const client = clientOf(server);
  await patiently(() => heard(client.readAll({ maxCount: 1 })));
  return client;
}

describe('a restart', () => {
  test('keeps all events where they are, and the metadata of their streams', async () => {
    const server = await started();
    const client = clientOf(server);
    await client.appendToStream('a', said(0, 1, 2));
    await client.setStreamMetadata('a', { maxCount: 2 });
    await client.appendToStream('gone', said(0));
    await client.deleteStream('gone');
    const before = await collected(client.readAll());
    const { address } = server;
    await server.restart();
    expect(server.address).toBe(address);
    const again = await clientAfterRestart(server);
    const after = await collected(again.readAll());
    expect(after.slice(0, before.length)).toEqual(before);
    expect(await heard(again.readStream('a'))).toEqual([1, 2]);
    await expect(heard(again.readStream('gone'))).rejects.toThrow(StreamNotFoundError);
  });

  test('makes it forget which events came lately: what expects nothing is written twice', async () => {
    const server = await started();
    const events = said(0, 1);
    const client = clientOf(server);
    await client.appendToStream('any', events, { expectedRevision: ANY });
    await client.appendToStream('exact', events, { expectedRevision: NO_STREAM });
    await server.restart();
    const again = await clientAfterRestart(server);
    await again.appendToStream('any', events, { expectedRevision: ANY });
    await again.appendToStream('exact', events, { expectedRevision: NO_STREAM });
    expect(await heard(again.readStream('any'))).toEqual([0, 1, 0, 1]);
    expect(await heard(again.readStream('exact'))).toEqual([0, 1]);
  });

  test('is survived by a client that was there before', async () => {
    const server = await started();
    const client = clientOf(server);
    await client.appendToStream('a', said(0));
    await server.restart(async () => {
      await expect(client.appendToStream('a', said(1))).rejects.toThrow(UnavailableError);
    });
    const more = said(2);
    await patiently(() => client.appendToStream('a', more, { expectedRevision: 0n }));
    expect(await heard(client.readStream('a'))).toEqual([0, 2]);
  });

  test('finds only whole commits in a file whose writer was killed', async () => {
    const file = join(folder, 'log');
    const server = await startTestServer({ file });
    const client = connect(`esdb://${server.address}?tls=false`);
    await client.appendToStream('a', said(0, 1));
    await client.dispose();
    await server.stop();
    appendFileSync(file, Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 200, 7, 7]));
    const again = await started({ file });
    const reader = clientOf(again);
    await reader.appendToStream('a', said(2), { expectedRevision: 1n });
    await again.restart();
    const last = await clientAfterRestart(again);
    expect(await heard(last.readStream('a'))).toEqual([0, 1, 2]);
  });
});

test('a scavenge takes what no stream shows out of all events, also after a restart', async () => {
  const server = await started();
  const client = clientOf(server);
  await client.appendToStream('a', said(0, 1, 2));
  await client.setStreamMetadata('a', { truncateBefore: 2 });
  await client.appendToStream('b', said(0, 1));
  await client.deleteStream('b');
  const stored = () => ['a', 'b'].map((stream) => server.events(stream).map(({ revision }) => revision));
  server.database.scavenge();
  expect(stored()).toEqual([[2], [1]]);
  await server.restart();
  expect(stored()).toEqual([[2], [1]]);
  const again = await clientAfterRestart(server);
  await again.appendToStream('a', said(3), { expectedRevision: 2n });
  await again.appendToStream('b', said(2), { expectedRevision: 1n });
  expect([await heard(again.readStream('a')), await heard(again.readStream('b'))]).toEqual([[2, 3], [2]]);
});

describe('an answer that is lost', () => {
  const ways = ['cut', 'restart', 'unavailable', 'timeout', 'silence'] as const;
  const calls = [
    { call: 'BatchAppend', options: {} },
    { call: 'Append', options: { credentials: { username: 'u', password: 'p' } } },
  ];
  const cases = calls.flatMap(({ call, options }) =>
    ways
      // A client that is not answered by BatchAppend waits for ever.
      .filter((how) => call === 'Append' || how !== 'silence')
      .flatMap((how) => (['before', 'after'] as const).map((lost) => ({ call, options, how, lost }))),
  );

  test.each(cases)(
    '$lost the commit of $call by $how: sent again, it is there once',
    async ({ options, how, lost }) => {
      const server = await started();
      const client = clientOf(server);
      await client.appendToStream('b', said(9), options);
      server.faults.strike({ lost, how });
      const events = said(0, 1);
      const append = (deadline?: number) => {
        const limit = deadline === undefined ? {} : { deadline };
        return client.appendToStream('a', events, { expectedRevision: NO_STREAM, ...limit, ...options });
      };
      await expect(append(how === 'silence' ? 500 : undefined)).rejects.toThrow();
      expect(await patiently(async () => server.events('a'))).toHaveLength(lost === 'after' ? 2 : 0);
      expect(await patiently(() => append())).toMatchObject({ nextExpectedRevision: 1n });
      expect(await heard(client.readStream('a'))).toEqual([0, 1]);
    },
  );

  test('may be each first answer, of every append', async () => {
    const server = await started();
    const client = clientOf(server);
    server.faults.loseEveryAnswerOnce('unavailable');
    for (const n of [0, 1, 2]) {
      const events = said(n);
      const append = () =>
        client.appendToStream('a', events, { expectedRevision: n === 0 ? NO_STREAM : BigInt(n - 1) });
      await expect(append()).rejects.toThrow(UnavailableError);
      await append();
    }
    expect(await heard(client.readStream('a'))).toEqual([0, 1, 2]);
    server.faults.heal();
    await client.appendToStream('a', said(3));
  });

  test('may come late', async () => {
    const server = await started();
    const client = clientOf(server);
    const { promise: heldUntil, resolve } = Promise.withResolvers<void>();
    server.faults.onAppend = ({ stream }) => (stream === 'a' ? { heldUntil } : null);
    let isAnswered = false;
    const late = client.appendToStream('a', said(0)).then(() => {
      isAnswered = true;
    });
    await client.appendToStream('b', said(0));
    expect(server.events('a')).toHaveLength(1);
    expect(isAnswered).toBe(false);
    resolve();
    await late;
  });
});

test('what was held back while the server restarted is answered to nobody', async () => {
  const server = await started();
  const { promise: heldUntil, resolve } = Promise.withResolvers<void>();
  server.faults.onAppend = () => ({ heldUntil });
  const held = [{}, { credentials: { username: 'u', password: 'p' } }].map((options, n) =>
    clientOf(server).appendToStream(`a-${n}`, said(n), options),
  );
  const lost = Promise.allSettled(held);
  while (server.events('a-0').length + server.events('a-1').length < 2) await server.database.news().arrived;
  await server.restart();
  resolve();
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  server.faults.heal();
  const again = await clientAfterRestart(server);
  expect([await heard(again.readStream('a-0')), await heard(again.readStream('a-1'))]).toEqual([[0], [1]]);
});

describe('a server that is not the leader', () => {
  async function cluster(): Promise<{ node: TestServer; leader: TestServer }> {
    const leader = await started();
    const node = await started({ beside: leader });
    node.faults.leader = leader.endpoint;
    return { node, leader };
  }

  test('sends who requires the leader there, and the client goes on with that', async () => {
    const { node, leader } = await cluster();
    const client = clientOf(node);
    const append = () => client.appendToStream('a', said(0), { requiresLeader: true });
    const refused = await append().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotLeaderError);
    expect(refused).toMatchObject({ leader: leader.endpoint });
    expect(leader.events('a')).toEqual([]);
    await append();
    leader.faults.leader = node.endpoint;
    node.faults.leader = null;
    await expect(append()).rejects.toMatchObject({ leader: node.endpoint });
    await append();
    expect(await heard(client.readStream('a'))).toEqual([0, 0]);
  });

  test('passes on what does not require the leader, and tells what was written there', async () => {
    const { node, leader } = await cluster();
    const client = clientOf(node);
    const listener = new Listener(client.subscribeToStream('a', { fromRevision: START }));
    await listener.until('caught up');
    await client.appendToStream('a', said(0));
    await clientOf(leader).appendToStream('a', said(1), { expectedRevision: 0n });
    await listener.until(1);
    expect(listener.told).toEqual(['confirmed', 'caught up', 0, 1]);
  });

  test('lets nobody read who requires the leader, and everybody else', async () => {
    const server = await started();
    server.faults.leader = { address: '127.0.0.1', port: 1 };
    const client = clientOf(server);
    expect(await collected(client.readAll())).toHaveLength(2);
    await expect(collected(client.readAll({ requiresLeader: true }))).rejects.toThrow(NotLeaderError);
  });

  test('says so once where a test wants it, by either call', async () => {
    for (const options of [{}, { credentials: { username: 'u', password: 'p' } }]) {
      const server = await started();
      server.faults.strike({ leader: { address: '127.0.0.1', port: 1 } });
      const refused = clientOf(server).appendToStream('a', said(0), options);
      await expect(refused).rejects.toMatchObject({ leader: { address: '127.0.0.1', port: 1 } });
      expect(server.events('a')).toEqual([]);
    }
  });

  test('is found by gossip, with the leader it knows', async () => {
    const { node } = await cluster();
    const client = connected(`esdb://${node.address},${node.address}?tls=false&nodePreference=leader`);
    await client.appendToStream('a', said(0), { requiresLeader: true });
    expect(await heard(client.readStream('a'))).toEqual([0]);
  });
});

describe('a subscription', () => {
  test.each(['cut', 'unavailable'] as const)('is dropped by %s after so many events', async (how) => {
    const server = await started();
    const client = clientOf(server);
    await client.appendToStream('a', said(0, 1, 2));
    server.faults.dropSubscriptions(2, how);
    const dropped = new Listener(client.subscribeToStream('a', { fromRevision: START }));
    expect(await dropped.ended).toBeInstanceOf(Error);
    expect([0, 1, 2]).toEqual(expect.arrayContaining(dropped.told.filter((told) => typeof told === 'number')));
    expect(dropped.told).not.toContain(2);
    const again = new Listener(client.subscribeToStream('a', { fromRevision: START }));
    await again.until('caught up');
    expect(again.told).toEqual(['confirmed', 0, 1, 2, 'caught up']);
  });

  test('is not dropped before, and only as often as was asked for', () => {
    const faults = new Faults(() => {});
    faults.dropSubscriptions(2, 'unavailable');
    const onEvent = faults.forSubscription(() => {});
    for (const sent of [0, 1]) onEvent(sent);
    expect(() => onEvent(2)).toThrow('Server Is Not Ready');
    expect(() => faults.forSubscription(() => {})(2)).not.toThrow();
  });

  test('ends with its connection', async () => {
    const server = await started();
    const listener = new Listener(clientOf(server).subscribeToAll());
    await listener.until('caught up');
    server.faults.cutConnections();
    expect(await listener.ended).toBeInstanceOf(Error);
  });

  test('that falls behind says a second time that it caught up', async () => {
    const server = await started();
    const client = clientOf(server);
    const listener = new Listener(client.subscribeToStream('a', { fromRevision: START }));
    await listener.until('caught up');
    await client.appendToStream('a', said(...Array.from({ length: 100 }, (_, n) => n)));
    await listener.until('caught up', 2);
    expect(listener.told).toHaveLength(103);
  });
});

describe('a server', () => {
  test('without BatchAppend takes appends as old ones did', async () => {
    const server = await started({ hasBatchAppend: false });
    const client = clientOf(server);
    await client.appendToStream('a', said(0), { expectedRevision: NO_STREAM });
    expect(await heard(client.readStream('a'))).toEqual([0]);
  });

  test('may take less at once', async () => {
    const client = clientOf(await started({ maxAppendSize: 100 }));
    const large = jsonEvent({ type: 'Said', data: { n: 1, text: 'x'.repeat(100) } });
    await expect(client.appendToStream('a', large)).rejects.toThrow(MaxAppendSizeExceededError);
    await client.appendToStream('a', said(1));
  });

  test('refuses events without a proper id', async () => {
    const client = clientOf(await started());
    const [event] = said(1);
    if (event === undefined) throw new Error('no event');
    for (const id of ['00000000-0000-0000-0000-000000000000', 'no-id']) {
      await expect(client.appendToStream('a', [{ ...event, id }])).rejects.toThrow();
    }
    await client.appendToStream('a', event, { expectedRevision: NO_STREAM });
  });

  test('with TLS lets in who has the password and may do what is asked', async () => {
    const { key, certificate } = makeCertificate();
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, certificate);
    const users = {
      admin: { password: 'changeit', groups: ['$admins'] },
      ada: { password: 'lovelace', groups: [] },
    };
    const server = await started({ tls: { key, certificate }, users });
    const [, port] = server.address.split(':');
    const clientFor = (user: string) => connected(`esdb://${user}localhost:${port}?tls=true&tlsCAFile=${ca}`);
    const [admin, ada, nobody] = [clientFor('admin:changeit@'), clientFor('ada:lovelace@'), clientFor('')];
    await ada.appendToStream('a', said(0));
    expect(await heard(ada.readStream('a'))).toEqual([0]);
    await expect(heard(ada.readAll())).rejects.toThrow(AccessDeniedError);
    expect(await collected(admin.readAll())).toHaveLength(3);
    await admin.setStreamMetadata('a', { acl: { readRoles: ['$admins'], writeRoles: ['ada'] } });
    await expect(heard(ada.readStream('a'))).rejects.toThrow(AccessDeniedError);
    await ada.appendToStream('a', said(1), { expectedRevision: STREAM_EXISTS });
    await expect(nobody.appendToStream('c', said(2))).rejects.toThrow(AccessDeniedError);
    await admin.appendToStream('a', said(2), { expectedRevision: 1n });
    await ada.appendToStream('b', said(0));
    const liar = clientFor('ada:wrong@');
    await expect(liar.appendToStream('b', said(1))).rejects.toThrow(AccessDeniedError);
    await expect(heard(liar.readStream('b'))).rejects.toThrow(AccessDeniedError);
    await expect(clientOf(server).appendToStream('a', said(3))).rejects.toThrow('UNAVAILABLE');
  });
});

test('a given server takes the place of one that is started here', async () => {
  const { url, connection, server } = await startEventStore(
    'esdb://u:p@one:2113,two:2113/?tls=true&keepAliveInterval=1',
  );
  expect(server).toBeNull();
  expect(connection).toBe('esdb://u:p@one:2113,two:2113/?tls=true&keepAliveInterval=1');
  expect(url()).toBe('esdb://u:p@one:2113,two:2113?tls=true&keepAliveInterval=1');
  expect(url('mine')).toBe('esdb://u:p@one:2113,two:2113/mine?tls=true&keepAliveInterval=1');
});
