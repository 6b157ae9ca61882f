// The way to the server: the client by its documented calls, and its failures in the words of icecore. Every call names
// credentials: without them the client appends over a call that has no deadline and one table of answers for the whole process.
import { setTimeout as pause } from 'node:timers/promises';
import {
  AccessDeniedError,
  type BaseOptions,
  type Credentials,
  EventStoreDBClient,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { IcecoreError } from '../../../schemas/errors.ts';
import { readCertificates } from '../../base/folders.ts';
import { ServerRejected, ServerUntrusted, TransientError } from '../remote/errors.ts';
import { refused, rejected, TlsMismatch } from './errors.ts';
import { type EventStorePlace, eventStoreLogin } from './place.ts';

/** An answer that takes longer is not waited for. */
const answerMs = 10_000;

/** The client sends none over a connection without TLS, and appends with a deadline all the same. */
const noCredentials: Credentials = { username: 'icecore', password: 'icecore' };

export class Connection {
  readonly client: EventStoreDBClient;
  /** Of every call. */
  readonly options: Required<BaseOptions>;
  /** A read that says nothing for so long is broken off. */
  readonly quietMs: number;

  /** Throws ServerRefused. */
  constructor(place: EventStorePlace) {
    this.quietMs = Math.min(answerMs, place.patience * 1_000);
    this.client = clientOf(place);
    this.options = { credentials: credentialsOf(place), requiresLeader: true, deadline: this.quietMs };
  }

  /** One call. Throws TransientError, or what will fail another time too. */
  async ask<Result>(
    call: (client: EventStoreDBClient, options: Required<BaseOptions>) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.answered(call(this.client, this.options));
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** An answer may never come, though the call has a deadline. */
  async answered<Result>(answer: Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const silence = pause(this.quietMs, undefined, { signal: over.signal }).then(() => {
      throw new TransientError(`the server said nothing for ${this.quietMs / 1_000} s`);
    });
    try {
      return await Promise.race([answer, silence]);
    } finally {
      over.abort();
      silence.catch(() => {});
      answer.catch(() => {});
    }
  }

  /** The client ends its streams at once, and waits for some of them longer than anybody should. */
  close(): void {
    this.client.dispose().catch(() => {});
  }
}

function credentialsOf(place: EventStorePlace): Credentials {
  const login = eventStoreLogin(place, process.env);
  if (login !== null) return { username: login.user, password: login.password };
  if (!place.tls) return noCredentials;
  throw refused('a server with TLS asks for a user, and none is named');
}

function clientOf({ hosts, discover, tls, ca }: EventStorePlace): EventStoreDBClient {
  const [first] = hosts;
  if (first === undefined) throw new TypeError('a place without hosts');
  const security = tls ? (ca === null ? {} : { rootCertificate: readCertificates(ca) }) : { insecure: true };
  // By default the client waits for seconds between two attempts; the engine above has patience of its own.
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

/** The server answered, and the answer is left to the caller. */
const answers = [
  WrongExpectedVersionError,
  StreamNotFoundError,
  StreamDeletedError,
  MaxAppendSizeExceededError,
] as const;

/** Codes of gRPC that will be the same another time. */
const codes = {
  invalidArgument: 3,
  permissionDenied: 7,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
} as const;
const lasting: readonly unknown[] = Object.values(codes);

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}

/** A position at which the server has no event. */
export function isBadPosition(error: unknown): boolean {
  return error instanceof ServerRejected && error.facts['code'] === codes.invalidArgument;
}

/** One side uses TLS and the other does not, or the server is named by a number. */
const mismatch = /SSL routines|wrong version number|packet length too long|ServerName to an IP|EPROTO|bad record type/i;
const distrust = /certificate|self[- ]signed|unable to verify|altnames/i;

/** An error that is not known to last may pass: a connection breaks in many ways, and the client names few of them. */
export function failureOf(error: unknown): Error {
  if (!(error instanceof Error)) return new TransientError(String(error), { cause: error });
  if (error instanceof IcecoreError || error instanceof TransientError) return error;
  if (answers.some((answer) => error instanceof answer)) return error;
  const what = oneLine(error.message);
  if (error instanceof AccessDeniedError) return refused('access denied', error);
  if (error instanceof NotLeaderError) return notLeader(error);
  const code = codeOf(error);
  if (lasting.includes(code)) return rejected(what, code, error);
  if (mismatch.test(error.message)) return new TlsMismatch(what, error);
  if (distrust.test(error.message)) return new ServerUntrusted('EventStoreDB', error.message, error);
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new TransientError(what, { cause: error });
}

/** The server did not do what it was asked. The client goes to the leader by itself. */
export class NotLeader extends TransientError {
  override readonly name = 'NotLeader';
}

function notLeader(error: NotLeaderError): NotLeader {
  const { address, port } = error.leader;
  return new NotLeader(`it is not the leader, ${address}:${port} is`, { cause: error });
}

/** As gRPC says it, without its empty notes. */
function oneLine(message: string): string {
  return message
    .replace(/\.? *Resolution note:\s*/, '')
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '');
}
