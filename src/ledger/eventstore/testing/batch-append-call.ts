// The call by which a client appends as often as it likes: each append has an id, may come in several messages, and is
// answered when it is done.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type rpc from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Answer, nameIn, performed, proposed, sizeOf } from './appending.ts';
import * as errors from './batch-errors.ts';
import { type Expected, expectedIn } from './expected.ts';
import { type Node, requireLeader } from './node.ts';
import { bytesOf, identifier, type Proposed } from './recorded.ts';
import { Refusal, thrown } from './refusals.ts';

export type BatchAppendCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;
type Options = streams.BatchAppendReq.Options;

interface Batch {
  readonly id: shared.UUID;
  readonly stream: string;
  readonly expected: Expected;
  readonly events: Proposed[];
  size: number;
  readonly timer: NodeJS.Timeout;
}

/** No append takes longer, whatever the client allows. */
const writeTimeoutMs = 2000;

export class BatchAppends {
  readonly #node: Node;
  readonly #call: BatchAppendCall;
  /** What came in part so far. */
  readonly #batches = new Map<string, Batch>();
  #unanswered = 0;
  #isEnding = false;
  #isOver = false;

  constructor(node: Node, call: BatchAppendCall) {
    this.#node = node;
    this.#call = call;
    call.on('data', (request) => this.#received(request));
    call.on('end', () => this.#end());
    call.on('cancelled', () => this.#forget());
    call.on('error', () => this.#forget());
    try {
      node.access.authenticate(call.metadata);
    } catch (error) {
      call.emit('error', thrown(error));
    }
  }

  #received(request: streams.BatchAppendReq): void {
    const id = request.getCorrelationId();
    if (id === undefined || this.#isOver) return;
    const stream = nameIn(request.getOptions()?.getStreamIdentifier());
    const key = bytesOf(id).toString('latin1');
    try {
      const error = this.#begin(id, key, request.getOptions()) ?? this.#add(key, request);
      if (error !== null) this.#send(id, this.#drop(key)?.stream ?? stream, failed(error));
    } catch (error) {
      this.#send(id, this.#drop(key)?.stream ?? stream, failed(errors.badRequest(thrown(error).details)));
    }
  }

  #begin(id: shared.UUID, key: string, options: Options | undefined): rpc.Status | null {
    if (options === undefined) return null;
    const stream = nameIn(options.getStreamIdentifier());
    const expected = expectedIn(options, options.hasStreamPosition() ? options.getStreamPosition() : null);
    if (!this.#isAllowed(stream)) return errors.accessDenied();
    if (stream === '') return errors.badRequest('Required field StreamIdentifier not set.');
    if (expected === null) return errors.badRequest("'None' is not a valid expected position");
    const left = Math.min(timeLeft(options), writeTimeoutMs);
    if (left <= 0) return errors.timeout();
    if (this.#batches.has(key)) return null;
    const timer = setTimeout(() => {
      if (this.#drop(key) !== null) this.#send(id, stream, failed(errors.timeout()));
    }, left);
    this.#batches.set(key, { id, stream, expected, events: [], size: 0, timer });
    return null;
  }

  #add(key: string, request: streams.BatchAppendReq): rpc.Status | null {
    const batch = this.#batches.get(key);
    if (batch === undefined) return null;
    for (const message of request.getProposedMessagesList()) {
      const event = proposed(message);
      batch.size += sizeOf(event);
      batch.events.push(event);
    }
    const { maxAppendSize } = this.#node;
    if (batch.size > maxAppendSize) return errors.maximumAppendSizeExceeded(maxAppendSize);
    if (!request.getIsFinal()) return null;
    this.#drop(key);
    void this.#perform(batch);
    return null;
  }

  async #perform(batch: Batch): Promise<void> {
    this.#unanswered++;
    try {
      requireLeader(this.#node, this.#call);
      const answer = await performed(this.#node, this.#call, batch);
      this.#send(batch.id, batch.stream, responseOf(answer, batch));
      this.#unanswered--;
      if (this.#isEnding && this.#unanswered === 0) this.#call.end();
    } catch (error) {
      this.#call.emit('error', thrown(error));
    }
  }

  #send(id: shared.UUID, stream: string, response: streams.BatchAppendResp): void {
    if (!this.#isOver) this.#call.write(response.setCorrelationId(id).setStreamIdentifier(identifier(stream)));
  }

  #isAllowed(stream: string): boolean {
    try {
      this.#node.access.require('write', stream, this.#node.database, this.#call.metadata);
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  /** Returns what is no longer waited for; null when it was not. */
  #drop(key: string): Batch | null {
    const batch = this.#batches.get(key);
    if (batch === undefined) return null;
    clearTimeout(batch.timer);
    this.#batches.delete(key);
    return batch;
  }

  #end(): void {
    this.#isEnding = true;
    if (this.#unanswered === 0) this.#call.end();
  }

  #forget(): void {
    this.#isOver = true;
    for (const key of [...this.#batches.keys()]) this.#drop(key);
  }
}

function timeLeft(options: Options): number {
  const deadline = options.getDeadline();
  return deadline === undefined ? Number.POSITIVE_INFINITY : deadline.toDate().getTime() - Date.now();
}

function responseOf(answer: Answer, { stream, expected }: Batch): streams.BatchAppendResp {
  if (answer.kind === 'timeout') return failed(errors.timeout());
  if (answer.kind === 'deleted') return failed(errors.streamDeleted(stream));
  if (answer.kind === 'wrong-revision') return failed(errors.wrongExpectedVersion(expected, answer.actual));
  return new streams.BatchAppendResp().setSuccess(successOf(answer.revision, answer.position));
}

function failed(error: rpc.Status): streams.BatchAppendResp {
  return new streams.BatchAppendResp().setError(error);
}

function successOf(revision: number, position: number | null): streams.BatchAppendResp.Success {
  const success = new streams.BatchAppendResp.Success();
  if (revision < 0) success.setNoStream(new empty.Empty());
  else success.setCurrentRevision(`${revision}`);
  if (position === null) return success.setNoPosition(new empty.Empty());
  const place = new shared.AllStreamPosition().setCommitPosition(`${position}`).setPreparePosition(`${position}`);
  return success.setPosition(place);
}
