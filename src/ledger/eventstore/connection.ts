// The connection to the server through the client's documented calls, with its failures as icecore's errors. Every call passes
// credentials, because without them the client appends over a call without a deadline and with one process-wide table of answers.
import {
  AccessDeniedError,
  type BaseOptions,
  EventStoreDBClient,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { IcecoreError } from '../../../schemas/errors.ts';
import { readCertificates } from '../../base/folders.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { ServerRejected, serverUntrusted, TransientError, WouldLoseHistory } from '../remote/errors.ts';
import { type EventStorePlace, eventStoreLogin, type Host, refused } from './place.ts';
import { type ServerRecord, StreamNames } from './wire.ts';

/** The time limit of an answer. */
const answerMs = 10_000;

/** The number of streams whose settings a session remembers. */
const mostSettings = 10_000;

export class Connection {
  readonly names: StreamNames;
  /** Why the server would remove events of a stream, by its name there; null: it keeps all. Followers hear of later changes. */
  readonly losing = new RecentMap<string, string | null>(mostSettings);
  readonly client: EventStoreDBClient;
  /** Options of every call. */
  readonly options: Required<BaseOptions>;
  /** A read is cancelled after so much time without data. */
  readonly quietMs: number;

  /** Throws ServerRefused. */
  constructor(place: EventStorePlace) {
    this.names = new StreamNames(place.prefix);
    this.quietMs = Math.min(answerMs, place.patience * 1_000);
    this.client = clientOf(place);
    const { user: username, password } = eventStoreLogin(place, process.env);
    this.options = { credentials: { username, password }, requiresLeader: true, deadline: this.quietMs };
  }

  /** Runs one call. Throws TransientError, or an error that would recur. */
  async ask<Result>(
    call: (client: EventStoreDBClient, options: Required<BaseOptions>) => Promise<Result>,
  ): Promise<Result> {
    const silence = Promise.withResolvers<never>();
    // An answer may never come, even though the call has a deadline.
    const timer = setTimeout(() => {
      silence.reject(new TransientError(`no answer from the server for ${this.quietMs / 1_000} s`));
    }, this.quietMs);
    try {
      return await Promise.race([call(this.client, this.options), silence.promise]);
    } catch (error) {
      throw failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The first or the last record of a stream; null: the stream does not exist. */
  async record(stream: string, which: 'first' | 'last'): Promise<ServerRecord | null> {
    const range = which === 'first' ? {} : ({ direction: 'backwards', fromRevision: 'end' } as const);
    return await this.ask(async (client, options) => {
      try {
        for await (const { event } of client.readStream(stream, { ...options, ...range, maxCount: 1 }))
          return event ?? null;
        return null;
      } catch (error) {
        if (error instanceof StreamNotFoundError) return null;
        throw error;
      }
    });
  }

  /** The client cancels its streams immediately, but waits too long for some of them to end. */
  close(): void {
    this.client.dispose().catch(() => {});
  }
}

function clientOf({ hosts, discover, tls, ca }: EventStorePlace): EventStoreDBClient {
  const [first] = hosts as readonly [Host];
  const security = tls ? (ca === null ? {} : { rootCertificate: readCertificates(ca) }) : { insecure: true };
  // By default the client waits for seconds between two attempts; icecore has its own retries.
  const finding = {
    maxDiscoverAttempts: 3,
    discoveryInterval: 100,
    gossipTimeout: 3,
    nodePreference: 'leader',
  } as const;
  if (discover) return new EventStoreDBClient({ discover: first, ...finding }, security);
  if (hosts.length === 1) return new EventStoreDBClient({ endpoint: first }, security);
  return new EventStoreDBClient({ endpoints: [...hosts], ...finding }, security);
}

/** Errors that are answers of the server and are left to the caller. */
const answers = [WrongExpectedVersionError, StreamNotFoundError, MaxAppendSizeExceededError] as const;

const invalidArgument = 3;
/** gRPC codes of errors that would recur: also permission denied, failed precondition, out of range, unimplemented. */
const lasting: readonly unknown[] = [invalidArgument, 7, 9, 11, 12];

const rejectedRemedy =
  'icecore needs EventStoreDB 23.10 or later, or KurrentDB. Check the version and the settings of the server.';

/** The server has no event at this position. */
export function isBadPosition(error: unknown): boolean {
  return error instanceof ServerRejected && error.facts['code'] === invalidArgument;
}

/** One side uses TLS and the other does not, or the URL names the server by an IP address. */
const mismatch = /SSL routines|wrong version number|packet length too long|ServerName to an IP|EPROTO|bad record type/i;
const distrust = /certificate|self[- ]signed|unable to verify|altnames/i;

/** Unknown errors count as transient, since a connection breaks in many ways, and the client names few of them. */
export function failureOf(error: unknown): Error {
  if (!(error instanceof Error)) return new TransientError(String(error), { cause: error });
  if (error instanceof IcecoreError || error instanceof TransientError) return error;
  if (answers.some((answer) => error instanceof answer)) return error;
  const what = oneLine(error.message);
  if (error instanceof AccessDeniedError) return refused('access denied', error);
  if (error instanceof StreamDeletedError) return streamDeleted(error.streamName.replace(/^\$\$/, ''));
  if (error instanceof NotLeaderError) {
    // The client finds the leader by itself.
    const { address, port } = error.leader;
    return new TransientError(`it is not the leader, ${address}:${port} is`, { cause: error });
  }
  const { code } = error as { readonly code?: unknown };
  if (lasting.includes(code)) return new ServerRejected('EventStoreDB', what, rejectedRemedy, error, code);
  if (mismatch.test(error.message)) {
    return new IcecoreError('storage', `no TLS connection to EventStoreDB: ${what}`, {
      name: 'TlsMismatch',
      facts: { what },
      cause: error,
      remedy:
        'If the server has no certificates, add ?tls=false to the URL; otherwise use its host name and not its IP address.',
    });
  }
  if (distrust.test(error.message)) return serverUntrusted('EventStoreDB', error.message, error);
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new TransientError(what, { cause: error });
}

export function streamDeleted(stream: string): WouldLoseHistory {
  return new WouldLoseHistory(
    stream,
    'it was deleted',
    'A deleted stream cannot be written again: copy the ledger to another prefix, from the remains or from a copy.',
  );
}

/** The message of gRPC without its empty notes. */
function oneLine(message: string): string {
  return message
    .replace(/\.? *Resolution note:\s*/, '')
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '');
}
