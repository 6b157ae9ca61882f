// Opens a ledger in EventStoreDB. Its identity is the first event of a separate stream: of two processes that create it at the
// same time, the first one wins, and both read its identity.
import { randomUUID } from 'node:crypto';
import { StreamNotFoundError, WrongExpectedVersionError } from '@eventstore/db-client';
import { LedgerMissing, NewerLedger, NotALedger } from '../errors.ts';
import { newRunId } from '../identity/ids.ts';
import { type Ledger, type OpenOptions, partIn } from '../ledger.ts';
import { serverAway } from '../remote/errors.ts';
import { RemoteLedger, waitsOf } from '../remote/ledger.ts';
import type { Position } from '../remote/log.ts';
import { retry } from '../remote/retry.ts';
import { Connection } from './connection.ts';
import { directoryPath } from './directory.ts';
import { EventStoreLog } from './log.ts';
import { type EventStorePlace, nameOf } from './place.ts';
import { StreamNames } from './streams.ts';
import { positionText } from './wire.ts';

/** The version of the layout of ledgers on the server. */
const formatVersion = 2;

interface Located {
  readonly url: string;
  readonly place: EventStorePlace;
}

interface Identity {
  readonly ledger: string;
  /** Identifies these very streams; a copy of the ledger elsewhere has another. */
  readonly incarnation: string;
  readonly part: Ledger['part'];
  readonly position: Position;
}

/** Throws LedgerMissing, NotALedger, NewerLedger, ServerAway. */
export async function openEventStore({ url, place }: Located, options: OpenOptions): Promise<Ledger> {
  const { signal = never, readOnly = false } = options;
  signal.throwIfAborted();
  const { patience } = place;
  const waits = waitsOf(options.onWait, patience);
  const connection = new Connection(place);
  const names = new StreamNames(place.prefix);
  try {
    const open = async (): Promise<Identity> => {
      if (options.create === true && !readOnly) {
        await makeLedger(connection, names, options.createAs ?? newRunId(), options.part);
      }
      return await readIdentity(connection, names, url);
    };
    const identity = await retry({ ms: patience * 1_000, waits, signal }, open, (last) => serverAway(url, last));
    const path = directoryPath(identity.incarnation, nameOf(place));
    const { ledger, part, position: origin } = identity;
    const log = new EventStoreLog(connection, names, { ledger, part, url, origin, path });
    return new RemoteLedger(log, { patience, waits, readOnly });
  } catch (error) {
    connection.close();
    throw error;
  }
}

const { signal: never } = new AbortController();

async function readIdentity(connection: Connection, names: StreamNames, url: string): Promise<Identity> {
  const first = await firstOf(connection, names.identity);
  if (first === null) throw new LedgerMissing(url);
  const { format, ledger, incarnation, part } = first.data;
  if (typeof format === 'number' && format > formatVersion) throw new NewerLedger(url, format, formatVersion);
  const isNamed = typeof ledger === 'string' && typeof incarnation === 'string' && /^[0-9a-f-]{36}$/.test(incarnation);
  if (format === formatVersion && isNamed) return { ledger, incarnation, part: partIn(part), position: first.position };
  throw new NotALedger(url, `its first event says ${JSON.stringify(first.data).slice(0, 80)}`);
}

async function makeLedger(
  connection: Connection,
  names: StreamNames,
  ledger: string,
  part: Ledger['part'],
): Promise<void> {
  if ((await firstOf(connection, names.identity)) !== null) return;
  const data = { format: formatVersion, ledger, incarnation: randomUUID(), ...(part === undefined ? {} : { part }) };
  const made = { id: randomUUID(), contentType: 'application/json', type: 'LedgerMade', data, metadata: {} } as const;
  try {
    await connection.ask((client, options) =>
      client.appendToStream(names.identity, made, { ...options, expectedRevision: 'no_stream' }),
    );
  } catch (error) {
    if (!(error instanceof WrongExpectedVersionError)) throw error;
  }
}

/** Null: the stream does not exist. */
async function firstOf(
  connection: Connection,
  stream: string,
): Promise<{ readonly data: Readonly<Record<string, unknown>>; readonly position: Position } | null> {
  return await connection.ask(async (client, options) => {
    try {
      for await (const { event } of client.readStream(stream, { ...options, maxCount: 1 })) {
        const data: unknown = event?.data;
        const found = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
        return { data: found, position: positionText(event?.position) };
      }
      return null;
    } catch (error) {
      if (error instanceof StreamNotFoundError) return null;
      throw error;
    }
  });
}
