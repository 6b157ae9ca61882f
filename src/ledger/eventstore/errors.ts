// What can go wrong with a ledger in EventStoreDB that no other store knows.
import { IcecoreError } from '../../../schemas/errors.ts';

/** No server answers, or none that leads. */
export class EventStoreAway extends IcecoreError {
  override readonly name = 'EventStoreAway';

  constructor(hosts: readonly string[], what: string, cause?: unknown) {
    super('unavailable', `EventStoreDB at ${hosts.join(', ')} cannot be reached: ${what}`, {
      facts: { hosts, what },
      cause,
      remedy:
        'Start it, or name another server in the URL, and run the same again: what was stored is not stored twice.',
    });
  }
}

/** The server knows who asks, and does not let them; or does not know them. */
export class EventStoreRefused extends IcecoreError {
  override readonly name = 'EventStoreRefused';

  constructor(what: string, cause?: unknown) {
    super('storage', `EventStoreDB refuses: ${what}`, {
      facts: { what },
      cause,
      remedy:
        'See ICECORE_EVENTSTORE_USER and ICECORE_EVENTSTORE_PASSWORD, and whether that user may read $all and write the streams.',
    });
  }
}

/** Refused for what was asked, not for who asked it. */
export class EventStoreRejected extends IcecoreError {
  override readonly name = 'EventStoreRejected';
  /** What was asked for lies where no event begins. */
  readonly isMisplaced: boolean;

  constructor(what: string, isMisplaced: boolean, cause?: unknown) {
    super('storage', `EventStoreDB does not do what was asked: ${what}`, {
      facts: { what },
      cause,
      remedy: 'See its version and its settings: `icecore doctor` tells what icecore needs.',
    });
    this.isMisplaced = isMisplaced;
  }
}

/** Others wrote between two pieces of an append that was too large to go in one. */
export class PartlyStored extends IcecoreError {
  override readonly name = 'PartlyStored';

  constructor(stream: string, stored: number, of: number, cause: unknown) {
    super('conflict', `${stream}: the first ${stored} of ${of} events are stored, then somebody else's came`, {
      facts: { stream, stored, of },
      cause,
      remedy:
        'They went in several pieces, as the server takes 1 MiB at once. Read the stream again, and append the rest behind what is there.',
    });
  }
}

/** Whoever answers is not known to be the one that was asked for. */
export class ServerUntrusted extends IcecoreError {
  override readonly name = 'ServerUntrusted';

  constructor(what: string, cause?: unknown) {
    super('storage', `the certificate of EventStoreDB is not trusted: ${what}`, {
      facts: { what },
      cause,
      remedy: 'Name the file with the certificate of whoever signed it in the URL: ?ca=FILE',
    });
  }
}

/** It is asked for encryption and has none, or the other way round. */
export class TlsMismatch extends IcecoreError {
  override readonly name = 'TlsMismatch';

  constructor(what: string, cause?: unknown) {
    super('storage', `no encrypted connection to EventStoreDB comes about: ${what}`, {
      facts: { what },
      cause,
      remedy:
        'Where the server has no certificates, add ?tls=false to the URL; where it has, name it by its name and not by a number.',
    });
  }
}

/** The server takes no append of that size. */
export class AppendTooLarge extends IcecoreError {
  override readonly name = 'AppendTooLarge';

  constructor(stream: string, bytes: number, cause?: unknown) {
    super('storage', `EventStoreDB refuses an append of about ${bytes} bytes to ${stream}`, {
      facts: { stream, bytes },
      cause,
      remedy: 'Let the server have its usual MaxAppendSize of 1 MiB (1048576), or more.',
    });
  }
}

/** What would remove events, or did. */
export class WouldLoseHistory extends IcecoreError {
  override readonly name = 'WouldLoseHistory';

  constructor(stream: string, what: string, remedy: string) {
    super('storage', `${stream} does not keep its history: ${what}`, { facts: { stream, what }, remedy });
  }
}

/** The server no longer has what was read of it. */
export class HistoryShrank extends IcecoreError {
  override readonly name = 'HistoryShrank';

  constructor(last: string, mirror: string) {
    super('damaged', `EventStoreDB no longer has ${last} where it was read before: a part of the history is gone`, {
      facts: { last, mirror },
      remedy: `Write nothing. If the server was brought back from a backup, what was written after it is still in ${mirror}: keep that file, and delete its folder only to go on without.`,
    });
  }
}

export function streamDeleted(stream: string): WouldLoseHistory {
  return new WouldLoseHistory(
    stream,
    'it was deleted',
    'A deleted stream cannot be written again: copy the ledger to another prefix, from what is left or from a copy.',
  );
}

/** The server is older than what icecore needs to know when it has read everything. */
export class EventStoreTooOld extends IcecoreError {
  override readonly name = 'EventStoreTooOld';

  constructor(hosts: readonly string[]) {
    super('unsupported', `EventStoreDB at ${hosts.join(', ')} does not say when a reader has caught up`, {
      facts: { hosts },
      remedy: 'Use EventStoreDB 23.10 or later, or KurrentDB.',
    });
  }
}
