// What can go wrong with an engineer, whichever it is.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Spent } from './engineer.ts';

export class EngineerClosed extends IcecoreError {
  override readonly name = 'EngineerClosed';

  constructor(engineer: string) {
    super('internal', `the engineer ${engineer} is closed`, { facts: { engineer } });
  }
}

export type Failure = 'crashed' | 'timeout' | 'unavailable';

export interface FailedWith extends Spent {
  /** What it said before the error; null where nothing came. */
  readonly raw?: EventData['ProposalErrored']['raw'];
  readonly remedy?: string;
}

/** A program or an endpoint kept an engineer from answering. Nothing follows from that about the engineer: it is no answer. */
export class EngineerFailed extends IcecoreError {
  override readonly name = 'EngineerFailed';
  readonly failure: Failure;
  readonly raw: NonNullable<FailedWith['raw']> | null;
  readonly spent: Spent;

  constructor(failure: Failure, message: string, { raw = null, remedy = '', ...spent }: FailedWith = {}) {
    super('unavailable', message, { facts: { failure }, remedy });
    this.failure = failure;
    this.raw = raw;
    this.spent = spent;
  }
}
