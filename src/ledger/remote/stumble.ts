// The former name of TransientError, for the parts that still say it.
import { type PassesSoon, TransientError } from './errors.ts';

export class Stumble extends TransientError {
  override readonly name: string = 'Stumble';
  /** Whether the server may have done what it was asked all the same. */
  readonly maybeDone: boolean;

  constructor(
    what: string,
    options: { readonly maybeDone: boolean; readonly cause?: unknown; readonly soon?: PassesSoon },
  ) {
    super(what, options);
    this.maybeDone = options.maybeDone;
  }
}
