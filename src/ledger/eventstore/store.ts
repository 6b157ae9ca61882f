// Opens and checks a ledger in EventStoreDB. Its identity is the first event of a separate stream: of two processes that create it at the
// same time, the first one wins, and both read its identity.
import { randomUUID } from 'node:crypto';
import { WrongExpectedVersionError } from '@eventstore/db-client';
import { isObject } from '../../../schemas/json-text.ts';
import { type Check, checkLastEvents, checksOf, failed, ok } from '../checks.ts';
import { LedgerMissing, NotALedger, newerLedger } from '../errors.ts';
import { countedEvents } from '../event.ts';
import { newRunId } from '../identity/ids.ts';
import { type Ledger, type OpenOptions, partIn } from '../ledger.ts';
import { RemoteLedger } from '../remote/ledger.ts';
import { Waits } from '../remote/retry.ts';
import { Connection } from './connection.ts';
import { directoryPath } from './directory.ts';
import { EventStoreLog } from './log.ts';
import { type EventStorePlace, type EventStoreUrl, nameOf } from './place.ts';
import { positionText } from './wire.ts';

/** The version of the layout of ledgers on the server. */
const formatVersion = 2;

/** Throws LedgerMissing, NotALedger, NewerLedger, ServerAway. */
export async function openEventStore({ url, place }: EventStoreUrl, options: OpenOptions): Promise<Ledger> {
  const { signal = never, readOnly = false } = options;
  signal.throwIfAborted();
  const waits = new Waits(url, place.patience, options.onWait);
  const connection = new Connection(place);
  try {
    const identity = await waits.retry(async () => {
      if (options.create === true && !readOnly) await makeLedger(connection, options);
      return await readIdentity(connection, url);
    }, signal);
    const directory = directoryPath(identity.incarnation, nameOf(place));
    return new RemoteLedger(new EventStoreLog(connection, url, identity, directory), waits, readOnly);
  } catch (error) {
    connection.close();
    throw error;
  }
}

const { signal: never } = new AbortController();

async function readIdentity(connection: Connection, url: string) {
  const first = await connection.record(connection.names.identity, 'first');
  if (first === null) throw new LedgerMissing(url);
  const data = isObject(first.data) ? first.data : {};
  const { format, ledger, incarnation, part } = data;
  if (typeof format === 'number' && format > formatVersion) throw newerLedger(url, format, formatVersion);
  const isNamed = typeof ledger === 'string' && typeof incarnation === 'string' && /^[0-9a-f-]{36}$/.test(incarnation);
  if (format === formatVersion && isNamed)
    return { ledger, incarnation, part: partIn(part), origin: positionText(first.position) };
  throw new NotALedger(url, `its first event says ${JSON.stringify(data).slice(0, 80)}`);
}

async function makeLedger(connection: Connection, { createAs: ledger = newRunId(), part }: OpenOptions): Promise<void> {
  const { identity } = connection.names;
  if ((await connection.record(identity, 'first')) !== null) return;
  // The incarnation identifies these very streams; a copy of the ledger elsewhere has another.
  const data = { format: formatVersion, ledger, incarnation: randomUUID(), ...(part === undefined ? {} : { part }) };
  const made = { id: randomUUID(), contentType: 'application/json', type: 'LedgerMade', data, metadata: {} } as const;
  try {
    await connection.ask((client, options) =>
      client.appendToStream(identity, made, { ...options, expectedRevision: 'no_stream' }),
    );
  } catch (error) {
    if (!(error instanceof WrongExpectedVersionError)) throw error;
  }
}

/** The checks of `icecore doctor`. They change nothing. */
export async function checkEventStore(url: EventStoreUrl): Promise<readonly Check[]> {
  const open = (): Promise<Ledger> => openEventStore(url, { readOnly: true });
  return await checksOf(url.url, open, async (ledger) => [
    await describe(ledger, url.place),
    await checkKept(ledger),
    await checkLastEvents(ledger),
  ]);
}

async function describe(ledger: Ledger, { prefix, tls }: EventStorePlace): Promise<Check> {
  const { events } = await ledger.head();
  const found = `${ledger.id}, ${countedEvents(events)}, in the streams ${prefix}.*`;
  return ok('ledger', tls ? found : `${found}, not encrypted`);
}

async function checkKept(ledger: Ledger): Promise<Check> {
  const faults = [];
  for await (const fault of ledger.audit({ wholly: false })) faults.push(fault);
  const [first] = faults;
  if (first === undefined) return ok('history', 'kept for ever');
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const remedy = 'Remove these settings from the streams, and restore missing events from a copy.';
  return failed('history', `${first.where}: ${first.what}${more}`, remedy);
}
