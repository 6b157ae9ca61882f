// Appends on their way over one connection, each with the answer that is waited for. The client has such a table, too, but one for
// all clients of a process: where one of them loses its connection, the answers to all others are lost with it.
import { randomUUID } from 'node:crypto';
import {
  AccessDeniedError,
  convertToCommandError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
} from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { AnsweredStumble, stumbleOf } from './failures.ts';
import { appendRequest, type Proposed } from './messages.ts';

export type AppendStream = ReturnType<grpc.StreamsClient['batchAppend']>;

/** What the server answers: where the last event stands, as far as it says so, or that the stream goes on differently. */
export type AppendAnswer = { readonly position: number | null } | 'wrong-revision';

type Waiting = ReturnType<typeof Promise.withResolvers<AppendAnswer>>;

export class Appends {
  readonly #stream: AppendStream;
  readonly #waiting = new Map<string, Waiting>();
  #over: Error | null = null;

  constructor(stream: AppendStream) {
    this.#stream = stream;
    stream.on('data', (answer: streams.BatchAppendResp) => this.#answered(answer));
    stream.on('error', (error: Error) => this.#end(convertToCommandError(error) ?? error));
    for (const end of ['end', 'close']) stream.on(end, () => this.#end(stumbleOf('the server ended the connection')));
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  async append(stream: string, behind: number, events: readonly Proposed[]): Promise<AppendAnswer> {
    if (this.#over !== null) throw this.#over;
    const correlation = randomUUID();
    const waiting = Promise.withResolvers<AppendAnswer>();
    // It may be over before it is waited for.
    waiting.promise.catch(() => {});
    this.#waiting.set(correlation, waiting);
    if (!this.#stream.write(appendRequest(correlation, stream, behind, events))) await this.#drained();
    return await waiting.promise;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const events = ['drain', 'error', 'close'];
      const done = (): void => {
        for (const event of events) this.#stream.off(event, done);
        resolve();
      };
      for (const event of events) this.#stream.on(event, done);
    });
  }

  #answered(answer: streams.BatchAppendResp): void {
    const correlation = answer.getCorrelationId()?.getString() ?? '';
    const waiting = this.#waiting.get(correlation);
    if (waiting === undefined) return;
    this.#waiting.delete(correlation);
    const failed = answer.getError();
    const position = answer.getSuccess()?.getPosition()?.getCommitPosition();
    const kind = failed?.getDetails()?.getTypeName() ?? '';
    if (failed === undefined) waiting.resolve({ position: position === undefined ? null : Number(position) });
    else if (kind.endsWith('.WrongExpectedVersion')) waiting.resolve('wrong-revision');
    else waiting.reject(refusalOf(kind, failed, answer));
  }

  #end(error: Error): void {
    this.#over ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#over);
    this.#waiting.clear();
  }
}

type Failed = NonNullable<ReturnType<streams.BatchAppendResp['getError']>>;

function refusalOf(kind: string, failed: Failed, answer: streams.BatchAppendResp): Error {
  const details = failed.getDetails();
  switch (kind.split('.').at(-1)) {
    case 'StreamDeleted':
      return StreamDeletedError.fromStreamName(
        Buffer.from(answer.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
      );
    case 'AccessDenied':
      return new AccessDeniedError();
    case 'MaximumAppendSizeExceeded': {
      const most = details?.unpack(shared.MaximumAppendSizeExceeded.deserializeBinary, kind)?.getMaxappendsize() ?? 0;
      return MaxAppendSizeExceededError.fromMaxAppendSize(most);
    }
    default:
      return new AnsweredStumble(`the server says ${failed.getMessage() || kind || 'nothing that is known'}`);
  }
}
