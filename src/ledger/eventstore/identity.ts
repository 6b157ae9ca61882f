// Whose streams they are: a ledger's identity stands in a stream of its own. Of those who make it at the same time the first
// wins, and all find what it wrote.
import { randomUUID } from 'node:crypto';
import { StreamNotFoundError } from '@eventstore/db-client';
import { LedgerMissing, NewerLedger, NotALedger } from '../errors.ts';
import { type Ledger, partIn } from '../ledger.ts';
import type { Connection } from './connection.ts';
import type { StreamNames } from './streams.ts';

/** How icecore lays a ledger out on the server. */
const formatVersion = 1;

export interface EventStoreIdentity {
  readonly ledger: string;
  /** Of these very streams: others that bear the same ledger, as a copy does, have another. */
  readonly incarnation: string;
  readonly part: Ledger['part'];
}

/** Throws LedgerMissing, NotALedger, NewerLedger. */
export async function readIdentity(
  connection: Connection,
  names: StreamNames,
  url: string,
): Promise<EventStoreIdentity> {
  const said = await firstOf(connection, names.identity);
  if (said === null) throw new LedgerMissing(url);
  const { format, ledger, incarnation, part } = said;
  if (typeof format === 'number' && format > formatVersion) throw new NewerLedger(url, format, formatVersion);
  const isNamed = typeof ledger === 'string' && typeof incarnation === 'string' && /^[0-9a-f-]{36}$/.test(incarnation);
  if (format === formatVersion && isNamed) return { ledger, incarnation, part: partIn(part) };
  throw new NotALedger(url, `its first event says ${JSON.stringify(said).slice(0, 80)}`);
}

/** Does nothing where it is made already. */
export async function makeLedger(
  connection: Connection,
  names: StreamNames,
  ledger: string,
  part?: Ledger['part'],
): Promise<void> {
  if ((await firstOf(connection, names.identity)) !== null) return;
  const data = { format: formatVersion, ledger, incarnation: randomUUID(), part };
  const made = {
    id: randomUUID(),
    type: 'LedgerMade',
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from('{}'),
  };
  // Whose it is that came first is read by whoever opens it.
  await connection.ask((client) => client.appendBytes(names.identity, -1, [made]));
}

/** Null where there is none. */
async function firstOf(connection: Connection, stream: string): Promise<Readonly<Record<string, unknown>> | null> {
  return await connection.ask(async (client) => {
    try {
      for await (const { event } of client.readStream(stream, { maxCount: 1, requiresLeader: true })) {
        const data: unknown = event?.data;
        return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
      }
      return null;
    } catch (error) {
      if (error instanceof StreamNotFoundError) return null;
      throw error;
    }
  });
}
