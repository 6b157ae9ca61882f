// The call that appends once.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerReadableStream } from '@grpc/grpc-js';
import { type Answer, nameIn, performed, proposed, sizeOf } from './appending.ts';
import { type Expected, expectedIn } from './expected.ts';
import { type Node, requireLeader } from './node.ts';
import type { Proposed } from './recorded.ts';
import { invalidArgument, maximumAppendSizeExceeded, streamDeleted, timedOut } from './refusals.ts';

export type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;

/** Throws a Refusal for what has no answer of its own. */
export async function append(node: Node, call: AppendCall): Promise<streams.AppendResp> {
  let options: { stream: string; expected: Expected } | null = null;
  const events: Proposed[] = [];
  let size = 0;
  for await (const request of messagesOf(call)) {
    const message = request.getProposedMessage();
    if (options === null) {
      options = optionsIn(request);
      node.access.require('write', options.stream, node.database, call.metadata);
    } else if (message !== undefined) {
      const event = proposed(message);
      size += sizeOf(event);
      if (size > node.maxAppendSize) throw maximumAppendSizeExceeded(node.maxAppendSize);
      events.push(event);
    }
  }
  if (options === null) throw new Error('Operation is not valid due to the current state of the object.');
  requireLeader(node, call);
  return answered(await performed(node, call, { ...options, events }), options);
}

function messagesOf(call: AppendCall): AsyncIterable<streams.AppendReq> {
  return call;
}

function optionsIn(request: streams.AppendReq): { stream: string; expected: Expected } {
  const options = request.getOptions();
  if (options === undefined) throw new Error('Operation is not valid due to the current state of the object.');
  const expected = expectedIn(options, options.hasRevision() ? options.getRevision() : null);
  if (expected === null) throw invalidArgument("'None' is not a valid expected revision");
  return { stream: nameIn(options.getStreamIdentifier()), expected };
}

function answered(answer: Answer, { stream, expected }: { stream: string; expected: Expected }): streams.AppendResp {
  if (answer.kind === 'timeout') throw timedOut();
  if (answer.kind === 'deleted') throw streamDeleted(stream);
  const response = new streams.AppendResp();
  if (answer.kind === 'wrong-revision') return response.setWrongExpectedVersion(mismatch(expected, answer.actual));
  const success = new streams.AppendResp.Success();
  if (answer.revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(`${answer.revision}`);
  const place = `${answer.position}`;
  if (answer.position === null) success.setNoPosition(new shared.Empty());
  else success.setPosition(new streams.AppendResp.Position().setCommitPosition(place).setPreparePosition(place));
  return response.setSuccess(success);
}

function mismatch(expected: Expected, actual: number): streams.AppendResp.WrongExpectedVersion {
  const mismatched = new streams.AppendResp.WrongExpectedVersion();
  if (expected === 'any') mismatched.setExpectedAny(new shared.Empty());
  else if (expected === 'exists') mismatched.setExpectedStreamExists(new shared.Empty());
  else if (expected === 'none') mismatched.setExpectedNoStream(new shared.Empty());
  else mismatched.setExpectedRevision(`${expected}`);
  if (actual < 0) return mismatched.setCurrentNoStream(new shared.Empty());
  return mismatched.setCurrentRevision(`${actual}`);
}
