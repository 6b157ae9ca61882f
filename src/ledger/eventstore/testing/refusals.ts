// How calls fail: the status of each failure and the names by which the client distinguishes them.
import { Metadata, status } from '@grpc/grpc-js';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

function refusal(code: status, details: string, facts: Readonly<Record<string, string>> = {}): Error {
  return Object.assign(new Error(details), { code, details, metadata: Metadata.fromHttp2Headers(facts) });
}

export const unauthenticated = () => refusal(status.UNAUTHENTICATED, 'Bad HTTP response, status code 401');

export const accessDenied = () => refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const streamDeleted = (stream: string) =>
  refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const maximumAppendSizeExceeded = (limit: number) =>
  refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': `${limit}`,
  });

export const notLeader = ({ address, port }: Endpoint) =>
  refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': address,
    'leader-endpoint-port': `${port}`,
  });

export const timedOut = () => refusal(status.ABORTED, 'Operation timed out: Commit phase timeout.');

export const unavailable = () => refusal(status.UNAVAILABLE, 'Server Is Not Ready');

export const invalidPosition = () => refusal(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

/** A refusal that no client knows. */
export const unknownRefusal = () =>
  refusal(status.FAILED_PRECONDITION, 'The moon is full.', { exception: 'full-moon' });
