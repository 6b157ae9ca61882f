// Destinations of output: a terminal, a file, a pipe, or a test.

/** A destination of output: a terminal, a file, a pipe, or your own object. */
export interface Sink {
  readonly isTTY: boolean;
  /** Whether the output is a file, which no terminal shows and no other program waits for. */
  readonly isFile?: boolean;
  /** The terminal's width in columns, 80 if unknown; meaningless without a terminal. */
  readonly columns: number;
  /** Resolves when the output was accepted, so that a slow reader slows the writer. Throws PipeClosed. */
  write(text: string | Uint8Array): Promise<void>;
}

/** The reader of standard output has closed the pipe: `icecore event tail | head`. The command ends without failure. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}
