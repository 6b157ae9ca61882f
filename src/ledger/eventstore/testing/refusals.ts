// How calls fail: the status of each failure and the names by which the client distinguishes them.
import { Metadata, status } from '@grpc/grpc-js';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Ends a call. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: status;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(code: status, details: string, facts: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    for (const [name, value] of Object.entries(facts)) this.metadata.set(name, value);
  }
}

export const unauthenticated = () => new Refusal(status.UNAUTHENTICATED, 'Bad HTTP response, status code 401');

export const accessDenied = () =>
  new Refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const streamDeleted = (stream: string) =>
  new Refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const maximumAppendSizeExceeded = (limit: number) =>
  new Refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': `${limit}`,
  });

export const notLeader = ({ address, port }: Endpoint) =>
  new Refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': address,
    'leader-endpoint-port': `${port}`,
  });

export const timedOut = () => new Refusal(status.ABORTED, 'Operation timed out: Commit phase timeout.');

export const unavailable = () => new Refusal(status.UNAVAILABLE, 'Server Is Not Ready');

export const invalidPosition = () => new Refusal(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

/** A refusal that no client knows. */
export const unknownRefusal = () =>
  new Refusal(status.FAILED_PRECONDITION, 'The moon is full.', { exception: 'full-moon' });

export const thrown = (error: unknown) =>
  error instanceof Refusal ? error : new Refusal(status.UNKNOWN, `Exception was thrown by handler. ${error}`);
