// The errors of a log on a server. A log throws TransientError, OutcomeUnknown and BadPosition to the engine; the engine throws
// the others to its callers.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Position } from './log.ts';

/** A call failed and may succeed later; `message` describes what happened. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
}

/** No answer to an append arrived: the server may have stored the events. */
export class OutcomeUnknown extends TransientError {
  override readonly name = 'OutcomeUnknown';
}

/** A position that the log never returned or does not reach. */
export class BadPosition extends Error {
  override readonly name = 'BadPosition';
  readonly position: Position;

  constructor(position: Position, why: string) {
    super(why);
    this.position = position;
  }
}

/** The server did not answer within the caller's patience. */
export function serverAway(url: string, last: TransientError): IcecoreError {
  const { message: what } = last;
  return new IcecoreError('unavailable', `${url} cannot be reached: ${what}`, {
    name: 'ServerAway',
    facts: { url, what, ...(last instanceof OutcomeUnknown && { maybeStored: true }) },
    cause: last,
    remedy:
      'Start the server, or name another one in the URL, and run the same command again: events are not stored twice.',
  });
}

/** The server does not know the user, or denies permission. */
export function serverRefused(server: string, what: string, remedy: string, cause?: unknown): IcecoreError {
  const name = 'ServerRefused';
  return new IcecoreError('storage', `${server} refuses: ${what}`, { name, facts: { what }, cause, remedy });
}

/** The server rejects the call itself, for any user. */
export class ServerRejected extends IcecoreError {
  override readonly name = 'ServerRejected';

  constructor(server: string, what: string, remedy: string, cause?: unknown, code?: unknown) {
    const facts = { what, ...(code === undefined ? {} : { code }) };
    super('storage', `${server} rejects a call: ${what}`, { facts, cause, remedy });
  }
}

/** The identity of the server cannot be verified. */
export function serverUntrusted(server: string, what: string, cause?: unknown): IcecoreError {
  const remedy = 'Name the file with the certificate of its authority in the URL: ?tls=true&ca=FILE';
  return new IcecoreError('storage', `the certificate of ${server} is not trusted: ${what}`, {
    name: 'ServerUntrusted',
    facts: { what },
    cause,
    remedy,
  });
}

/** The server would remove events of a stream or a topic, or has removed some. */
export class WouldLoseHistory extends IcecoreError {
  override readonly name = 'WouldLoseHistory';

  constructor(where: string, what: string, remedy: string) {
    super('storage', `${where} does not keep its history: ${what}`, { facts: { where, what }, remedy });
  }
}

/** Other writers append to the same stream all the time. */
export function neverFirst(stream: string, tries: number): IcecoreError {
  return new IcecoreError('unavailable', `${stream}: another writer was faster ${tries} times in a row`, {
    name: 'NeverFirst',
    facts: { stream, tries },
    remedy: 'Check which other programs write to it, and run the same command again: events are not stored twice.',
  });
}

/** Another writer appended between two portions of an append that was too large for one request. */
export function partlyStored(stream: string, stored: number, of: number, cause: unknown): IcecoreError {
  return new IcecoreError(
    'conflict',
    `${stream}: the first ${stored} of ${of} events are stored, then another writer's events follow`,
    {
      name: 'PartlyStored',
      facts: { stream, stored, of },
      cause,
      remedy:
        'The append was sent in several portions, because the server limits their size. Read the stream again, and append the remaining events.',
    },
  );
}

/** The server has lost events. */
export function historyShrank(last: string, cache: string | null = null): IcecoreError {
  const forget = cache === null ? '' : ` To continue without the lost events, delete ${cache}.`;
  return new IcecoreError(
    'damaged',
    `the server no longer has ${last}, which it had before: part of the history is missing`,
    {
      name: 'HistoryShrank',
      facts: { last, ...(cache === null ? {} : { cache }) },
      remedy: `Write nothing, and check whether the server was restored from an older backup.${forget}`,
    },
  );
}
