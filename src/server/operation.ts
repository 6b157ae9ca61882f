// What the server does with a workspace: operations, which run where the ledger is open, in a thread of their own. An operation
// gets parameters and perhaps a stream of bytes, and writes pieces.
import type { Readable } from 'node:stream';
import type { Workspace } from '../library/workspace.ts';

/** One call of an operation. */
export interface Call<Piece> {
  /** Aborts when the client is gone, the time is over, or the server stops. */
  readonly signal: AbortSignal;
  /** The body of the request; empty without one. */
  readonly input: Readable;
  /** Resolves when the reader is ready for more. */
  write(piece: Piece): Promise<void>;
}

/** Queries use the tables and answer when they can; events are appended and followed, and never wait for a query. */
export type ThreadName = 'queries' | 'events';

export interface Operation<Parameters, Piece = Uint8Array> {
  /** Unique: a thread finds the operation by it. */
  readonly name: string;
  readonly thread: ThreadName;
  run(workspace: Workspace, parameters: Parameters, call: Call<Piece>): Promise<void>;
}

/** How a call is made. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly input?: AsyncIterable<Uint8Array>;
}

/** Where operations run. */
export interface Backend {
  /** The pieces as they come. Leaving the iteration stops the operation. */
  call<Parameters, Piece>(
    operation: Operation<Parameters, Piece>,
    parameters: Parameters,
    options: CallOptions,
  ): AsyncGenerator<Piece, void, undefined>;
  /** Closes the ledger and the tables after the calls that are under way have ended. */
  close(): Promise<void>;
}
