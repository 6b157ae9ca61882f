// What went wrong on the way to a server and may go well another time.

/** Some things pass within a moment or not at all. */
export interface PassesSoon {
  readonly withinMs: number;
  /** What is said when it did not. */
  readonly otherwise: () => Error;
}

/** What may go well another time; `message` says what happened. */
export class Stumble extends Error {
  override readonly name: string = 'Stumble';
  /** Whether the server may have done what it was asked all the same. */
  readonly maybeDone: boolean;
  /** Null: it may take as long as the patience of whoever asks. */
  readonly soon: PassesSoon | null;

  constructor(
    what: string,
    options: { readonly maybeDone: boolean; readonly cause?: unknown; readonly soon?: PassesSoon },
  ) {
    super(what, { cause: options.cause });
    this.maybeDone = options.maybeDone;
    this.soon = options.soon ?? null;
  }
}
