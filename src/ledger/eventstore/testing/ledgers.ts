// Servers for tests with ledgers on them, which are removed after the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventData, EventStoreDBClient } from '@eventstore/db-client';
import type { Ledger, OpenOptions } from '../../ledger.ts';
import { openLedger } from '../../open.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';

export class Ledgers {
  readonly folder = mkdtempSync(join(tmpdir(), 'icecore-esdb-ledgers-'));
  readonly #before = process.env['ICECORE_CACHE'];
  readonly #closing: (() => Promise<unknown>)[] = [];

  constructor() {
    process.env['ICECORE_CACHE'] = this.folder;
  }

  async server(options: TestServerOptions = {}): Promise<TestServer> {
    const server = await startTestServer(options);
    this.#closing.push(() => server.stop());
    return server;
  }

  async open(url: string, options: OpenOptions = { create: true }): Promise<Ledger> {
    const ledger = await openLedger(url, options);
    this.#closing.push(() => ledger.close());
    return ledger;
  }

  /** Like another machine, with its own directory. */
  async elsewhere<Result>(work: () => Promise<Result>): Promise<Result> {
    process.env['ICECORE_CACHE'] = mkdtempSync(join(this.folder, 'elsewhere-'));
    try {
      return await work();
    } finally {
      process.env['ICECORE_CACHE'] = this.folder;
    }
  }

  /** The client itself, as other programs use it. */
  client(server: TestServer): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(`esdb://${server.address}?tls=false`);
    this.#closing.push(() => client.dispose());
    return client;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
    if (this.#before === undefined) delete process.env['ICECORE_CACHE'];
    else process.env['ICECORE_CACHE'] = this.#before;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An event of another program. */
export function foreign(id: string): EventData {
  return { id, type: 'SomethingElse', contentType: 'application/json', data: { of: 'others' }, metadata: undefined };
}

/** A server for the contract: the real one in ICECORE_TEST_ESDB, or a test server that is started here. */
export interface EventStore {
  /** In icecore's form: the path is the prefix of the streams' names. */
  url(prefix?: string): string;
  stop(): Promise<void>;
}

export async function startEventStore(given = process.env['ICECORE_TEST_ESDB']): Promise<EventStore> {
  if (given) return { url: urlsOf(given), stop: async () => {} };
  const server = await startTestServer();
  return { url: urlsOf(`esdb://${server.address}?tls=false`), stop: () => server.stop() };
}

function urlsOf(connection: string): EventStore['url'] {
  const [, hosts = '', query = ''] = /^([^?]*?)\/?(\?.*)?$/u.exec(connection) ?? [];
  return (prefix = '') => `${hosts}${prefix === '' ? '' : `/${prefix}`}${query}`;
}
