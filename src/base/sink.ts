// Where output goes: a terminal, a file, a pipe, or a test.

/** Takes output: a terminal, a file, a pipe, or something of your own. */
export interface Sink {
  readonly isTTY: boolean;
  /** What is written goes to a file: no terminal shows it, and no other program waits for it. */
  readonly isFile?: boolean;
  /** The terminal's width in columns, 80 where it does not know; of no meaning where there is no terminal. */
  readonly columns: number;
  /** Resolves when it has been taken, so that a slow reader slows the writer. Throws PipeClosed. */
  write(text: string | Uint8Array): Promise<void>;
}

/** Whoever read standard output has read enough: `icecore event tail | head`. The command ends, and that is no failure. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}
