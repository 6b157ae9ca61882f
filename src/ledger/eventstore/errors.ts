// Errors that only ledgers in EventStoreDB have.
import { IcecoreError } from '../../../schemas/errors.ts';
import { ServerRejected, serverRefused, WouldLoseHistory } from '../remote/errors.ts';

export function refused(what: string, cause?: unknown): IcecoreError {
  const remedy =
    'See ICECORE_EVENTSTORE_USER and ICECORE_EVENTSTORE_PASSWORD, and whether that user may read $all and write the streams.';
  return serverRefused('EventStoreDB', what, remedy, cause);
}

export function rejected(what: string, code: unknown, cause: unknown): ServerRejected {
  const remedy =
    'icecore needs EventStoreDB 23.10 or later, or KurrentDB. Check the version and the settings of the server.';
  return new ServerRejected('EventStoreDB', what, remedy, cause, code);
}

/** One side uses TLS and the other does not. */
export function tlsMismatch(what: string, cause?: unknown): IcecoreError {
  return new IcecoreError('storage', `no TLS connection to EventStoreDB: ${what}`, {
    name: 'TlsMismatch',
    facts: { what },
    cause,
    remedy:
      'If the server has no certificates, add ?tls=false to the URL; otherwise use its host name and not its IP address.',
  });
}

/** The server refuses an append of this size. */
export function appendTooLarge(stream: string, bytes: number, cause?: unknown): IcecoreError {
  return new IcecoreError('storage', `EventStoreDB refuses an append of about ${bytes} bytes to ${stream}`, {
    name: 'AppendTooLarge',
    facts: { stream, bytes },
    cause,
    remedy: 'Set MaxAppendSize of the server to its default of 1 MiB (1048576), or more.',
  });
}

export function streamDeleted(stream: string): WouldLoseHistory {
  return new WouldLoseHistory(
    stream,
    'it was deleted',
    'A deleted stream cannot be written again: copy the ledger to another prefix, from the remains or from a copy.',
  );
}
