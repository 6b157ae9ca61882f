// The calls that delete a stream: softly, so that it may go on, or for good.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { nameIn } from './appending.ts';
import type { Outcome } from './database.ts';
import { type Expected, expectedIn } from './expected.ts';
import { type Call, type Node, requireLeader } from './node.ts';
import { invalidArgument, streamDeleted, wrongExpectedVersion } from './refusals.ts';

type Options = streams.DeleteReq.Options | streams.TombstoneReq.Options;

const codes = { any: -2, exists: -4, none: -1 } as const;

export function softDelete(node: Node, call: Call & { request: streams.DeleteReq }): streams.DeleteResp {
  const { name, expected } = prepared(node, call, call.request.getOptions());
  const position = positionOf(node.database.softDelete(name, expected), name, expected);
  const response = new streams.DeleteResp();
  if (position === null) return response.setNoPosition(new shared.Empty());
  return response.setPosition(
    new streams.DeleteResp.Position().setCommitPosition(`${position}`).setPreparePosition(`${position}`),
  );
}

export function tombstone(node: Node, call: Call & { request: streams.TombstoneReq }): streams.TombstoneResp {
  const { name, expected } = prepared(node, call, call.request.getOptions());
  const position = positionOf(node.database.tombstone(name, expected), name, expected);
  const response = new streams.TombstoneResp();
  if (position === null) return response.setNoPosition(new shared.Empty());
  return response.setPosition(
    new streams.TombstoneResp.Position().setCommitPosition(`${position}`).setPreparePosition(`${position}`),
  );
}

function prepared(node: Node, call: Call, options: Options | undefined): { name: string; expected: Expected } {
  const name = nameIn(options?.getStreamIdentifier());
  const revision = options?.hasRevision() ? options.getRevision() : null;
  const expected = options === undefined ? null : expectedIn(options, revision);
  if (expected === null) throw invalidArgument("'None' is not a valid expected revision");
  node.access.require('delete', name, node.database, call.metadata);
  requireLeader(node, call);
  return { name, expected };
}

function positionOf(outcome: Outcome, stream: string, expected: Expected): number | null {
  if (outcome.kind === 'deleted') throw streamDeleted(stream);
  if (outcome.kind !== 'wrong-revision') return outcome.position;
  const code = typeof expected === 'number' ? expected : codes[expected];
  throw wrongExpectedVersion('Delete', stream, code, outcome.actual);
}
