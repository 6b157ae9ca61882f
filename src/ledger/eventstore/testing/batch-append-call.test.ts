// What may come in by the call for many appends though the client never sends it so: parts in any order, appends that
// are never finished, and an end before the answers.
import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identifier } from './recorded.ts';
import { startTestServer, type TestServer } from './server.ts';

let server: TestServer;
const [one, other] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  server = await startTestServer({ maxAppendSize: 100 });
});

afterAll(() => server.stop());

type Call = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

function opened(): { readonly client: { close(): void }; readonly call: Call } {
  const client = new streamsGrpc.StreamsClient(server.address, credentials.createInsecure());
  const call = client.batchAppend();
  // One that was given up says so.
  call.on('error', () => {});
  return { client, call };
}

/** What was answered to what, in the order of the answers. */
async function answers(...requests: readonly streams.BatchAppendReq[]): Promise<unknown[]> {
  const { client, call } = opened();
  for (const request of requests) call.write(request);
  call.end();
  const answered: unknown[] = [];
  for await (const response of responsesOf(call)) {
    const result = response.getError()?.getMessage() ?? Number(response.getSuccess()?.getCurrentRevision());
    answered.push([response.getCorrelationId()?.getString(), result]);
  }
  client.close();
  return answered;
}

function responsesOf(call: Call): AsyncIterable<streams.BatchAppendResp> {
  return call;
}

function begin(id: string, stream: string, msLeft = 5000): streams.BatchAppendReq {
  const deadline = timestamp.Timestamp.fromDate(new Date(Date.now() + msLeft));
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifier(stream)).setDeadline(deadline);
  return part(id).setOptions(options.setAny(new empty.Empty()));
}

function part(id: string, ...sizes: readonly number[]): streams.BatchAppendReq {
  const messages = sizes.map((size) => {
    const message = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()));
    message.getMetadataMap().set('type', 'T').set('content-type', 'application/octet-stream');
    return message.setData(Buffer.alloc(size));
  });
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(id))
    .setProposedMessagesList(messages);
}

test('appends that come in turns are told apart, and written when their last part is there', async () => {
  const last = [part(other, 1, 1).setIsFinal(true), part(one, 1).setIsFinal(true)];
  expect(await answers(begin(one, 'a'), begin(other, 'b'), part(one, 1, 1), ...last)).toEqual([
    [other, 1],
    [one, 2],
  ]);
});

test('an append that is too large is refused once, and the rest of it is passed over', async () => {
  const parts = [part(one, 60), part(one, 60), part(one, 1).setIsFinal(true)];
  expect(await answers(begin(one, 'large'), ...parts)).toEqual([[one, 'MaximumAppendSizeExceeded']]);
  expect(server.events('large')).toEqual([]);
});

test('a part of nothing that was begun is passed over', async () => {
  expect(await answers(part(one, 1).setIsFinal(true))).toEqual([]);
});

test('an event without a type is refused with its whole append', async () => {
  const untyped = part(one, 1, 1).setIsFinal(true);
  untyped.getProposedMessagesList()[1]?.getMetadataMap().del('type');
  expect(await answers(begin(one, 'untyped'), untyped)).toEqual([[one, 'BadRequest']]);
  expect(server.events('untyped')).toEqual([]);
});

test('an append that is answered late is answered though nothing more will come', async () => {
  const { promise: heldUntil, resolve } = Promise.withResolvers<void>();
  server.faults.strike({ heldUntil });
  const answered = answers(begin(one, 'late'), part(one, 1).setIsFinal(true));
  await server.database.news().arrived;
  // The end of the call is there before the answer when another call, begun later, was answered.
  await answers(begin(other, 'later'), part(other, 1).setIsFinal(true));
  resolve();
  expect(await answered).toEqual([[one, 0]]);
});

test('an append that is not finished in time is given up', async () => {
  const { client, call } = opened();
  const response = new Promise<streams.BatchAppendResp>((resolve) => call.once('data', resolve));
  call.write(begin(one, 'slow', 50));
  expect((await response).getError()?.getMessage()).toBe('Timeout');
  call.cancel();
  client.close();
});
