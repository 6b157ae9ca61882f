// What can become of one append among many in a call: each failure as the message that says so within an answer.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import rpc from '@eventstore/db-client/generated/status_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Expected } from './expected.ts';
import { identifier } from './recorded.ts';

/** Codes of google.rpc.Code. */
const code = { invalidArgument: 3, deadlineExceeded: 4, notFound: 5, alreadyExists: 6, permissionDenied: 7 } as const;

export const accessDenied = () => failure('AccessDenied', code.permissionDenied, new shared.AccessDenied());

export const timeout = () => failure('Timeout', code.deadlineExceeded, new shared.Timeout());

export const streamDeleted = (stream: string) =>
  failure('StreamDeleted', code.notFound, new shared.StreamDeleted().setStreamIdentifier(identifier(stream)));

export const maximumAppendSizeExceeded = (limit: number) =>
  failure(
    'MaximumAppendSizeExceeded',
    code.invalidArgument,
    new shared.MaximumAppendSizeExceeded().setMaxappendsize(limit),
  );

export const badRequest = (message: string) =>
  failure('BadRequest', code.invalidArgument, new shared.BadRequest().setMessage(message));

export function wrongExpectedVersion(expected: Expected, actual: number): rpc.Status {
  const mismatch = new shared.WrongExpectedVersion();
  if (expected === 'any') mismatch.setExpectedAny(new empty.Empty());
  else if (expected === 'exists') mismatch.setExpectedStreamExists(new empty.Empty());
  else if (expected === 'none') mismatch.setExpectedNoStream(new empty.Empty());
  else mismatch.setExpectedStreamPosition(`${expected}`);
  if (actual < 0) mismatch.setCurrentNoStream(new empty.Empty());
  else mismatch.setCurrentStreamRevision(`${actual}`);
  return failure('WrongExpectedVersion', code.alreadyExists, mismatch);
}

function failure(name: string, status: number, details: { serializeBinary(): Uint8Array }): rpc.Status {
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new rpc.Status().setCode(status).setMessage(name).setDetails(packed);
}
