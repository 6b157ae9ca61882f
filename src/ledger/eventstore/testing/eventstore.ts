// A server for tests: the true one that ICECORE_TEST_ESDB names, or one that is started here.
import { startTestServer, type TestServer } from './server.ts';

export interface EventStore {
  /** As icecore takes it: what its streams' names begin with stands in the path. */
  url(prefix?: string): string;
  /** As the client takes it. */
  readonly connection: string;
  /** What can be done only to a server of one's own. */
  readonly server: TestServer | null;
  stop(): Promise<void>;
}

export async function startEventStore(given = process.env['ICECORE_TEST_ESDB']): Promise<EventStore> {
  if (given) return { ...urlsOf(given), server: null, stop: async () => {} };
  const server = await startTestServer();
  return { ...urlsOf(`esdb://${server.address}?tls=false`), server, stop: () => server.stop() };
}

function urlsOf(connection: string): Pick<EventStore, 'url' | 'connection'> {
  const [, hosts = '', query = ''] = /^([^?]*?)\/?(\?.*)?$/u.exec(connection) ?? [];
  return { connection, url: (prefix = '') => `${hosts}${prefix === '' ? '' : `/${prefix}`}${query}` };
}
