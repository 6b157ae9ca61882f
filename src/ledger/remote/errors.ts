// What can go wrong with a log on a server. TransientError, OutcomeUnknown and BadPosition are what a log says to the engine
// above it; the others are what the engine says to its callers.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Position } from './log.ts';

/** Some faults pass within a moment or not at all. */
export interface PassesSoon {
  readonly withinMs: number;
  /** What is thrown when the fault did not pass. */
  readonly otherwise: () => Error;
}

/** A call failed and may succeed another time; `message` says what happened. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
  /** Null: the fault may last as long as the caller's patience. */
  readonly soon: PassesSoon | null;

  constructor(
    what: string,
    { cause, soon = null }: { readonly cause?: unknown; readonly soon?: PassesSoon | null } = {},
  ) {
    super(what, { cause });
    this.soon = soon;
  }
}

/** No answer to an append arrived: the server may have stored the events. */
export class OutcomeUnknown extends TransientError {
  override readonly name = 'OutcomeUnknown';
}

/** A log never gave this position, or does not reach it. */
export class BadPosition extends Error {
  override readonly name = 'BadPosition';
  readonly position: Position;

  constructor(position: Position, why: string) {
    super(why);
    this.position = position;
  }
}

/** The server does not answer for longer than the caller waits. */
export class ServerAway extends IcecoreError {
  override readonly name = 'ServerAway';

  constructor(url: string, last: TransientError) {
    const { message: what } = last;
    const unknown = last instanceof OutcomeUnknown;
    super('unavailable', `${url} cannot be reached: ${what}`, {
      facts: { url, what, ...(unknown ? { maybeStored: true } : {}) },
      cause: last,
      remedy:
        'Start the server, or name another one in the URL, and run the same again: what was stored is not stored twice.',
    });
  }
}

/** What every server may say of a call, with its name and with what to check there. */
abstract class SaidByServer extends IcecoreError {
  constructor(message: string, what: string, remedy: string, cause: unknown, code?: unknown) {
    super('storage', message, { facts: { what, ...(code === undefined ? {} : { code }) }, cause, remedy });
  }
}

/** The server does not know this user, or does not let the user do this. */
export class ServerRefused extends SaidByServer {
  override readonly name = 'ServerRefused';

  constructor(server: string, what: string, remedy: string, cause?: unknown) {
    super(`${server} refuses: ${what}`, what, remedy, cause);
  }
}

/** The server refuses the call itself, whoever makes it. */
export class ServerRejected extends SaidByServer {
  override readonly name = 'ServerRejected';

  constructor(server: string, what: string, remedy: string, cause?: unknown, code?: unknown) {
    super(`${server} rejects a call: ${what}`, what, remedy, cause, code);
  }
}

/** The server is not known to be the one that was named. */
export class ServerUntrusted extends SaidByServer {
  override readonly name = 'ServerUntrusted';

  constructor(server: string, what: string, cause?: unknown) {
    const remedy = 'Name the file with the certificate of its authority in the URL: ?tls=true&ca=FILE';
    super(`the certificate of ${server} is not trusted: ${what}`, what, remedy, cause);
  }
}

/** The server would remove events of a stream or a topic, or removed them. */
export class WouldLoseHistory extends IcecoreError {
  override readonly name = 'WouldLoseHistory';

  constructor(where: string, what: string, remedy: string) {
    super('storage', `${where} does not keep its history: ${what}`, { facts: { where, what }, remedy });
  }
}

/** Others append to the same stream all the time. */
export class NeverFirst extends IcecoreError {
  override readonly name = 'NeverFirst';

  constructor(stream: string, tries: number) {
    super('unavailable', `${stream}: another writer was faster ${tries} times in a row`, {
      facts: { stream, tries },
      remedy: 'See what else writes to it, and run the same again: events that were stored are not stored twice.',
    });
  }
}

/** Another writer appended between two portions of an append that was too large for one. */
export class PartlyStored extends IcecoreError {
  override readonly name = 'PartlyStored';

  constructor(stream: string, stored: number, of: number, cause: unknown) {
    super(
      'conflict',
      `${stream}: the first ${stored} of ${of} events are stored, then another writer's events follow`,
      {
        facts: { stream, stored, of },
        cause,
        remedy:
          'The append was sent in several portions, as the server limits the size of one. Read the stream again, and append the rest after what is there.',
      },
    );
  }
}

/** The server no longer has what it had. */
export class HistoryShrank extends IcecoreError {
  override readonly name = 'HistoryShrank';

  constructor(last: string, cache: string | null = null) {
    const forget = cache === null ? '' : ` To go on without what is gone, delete ${cache}.`;
    super('damaged', `the server no longer has ${last}, which it had before: a part of the history is gone`, {
      facts: { last, ...(cache === null ? {} : { cache }) },
      remedy: `Write nothing, and see whether the server was restored from a backup that is older than the events.${forget}`,
    });
  }
}
