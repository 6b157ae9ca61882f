// What goes wrong between icecore and a model: every way has a class of its own with the facts in it, and says whether
// asking again may go better and whether the endpoint may want to be paid all the same.
import { type ErrorKind, type Facts, IcecoreError } from '../../../../schemas/errors.ts';

export type FaultKind =
  | 'unreachable'
  | 'timeout'
  | 'cut-short'
  | 'too-large'
  | 'redirected'
  | 'not-http'
  | 'rate-limited'
  | 'quota'
  | 'unauthorised'
  | 'bad-request'
  | 'server-error'
  | 'not-json'
  | 'no-answer'
  | 'refusal'
  | 'content-filter'
  | 'tool-calls'
  | 'spending-cap';

/** Whom it happened with: shown in every message. There is nothing secret in it. */
export interface Place {
  /** The entry in the configuration file. */
  readonly entry: string;
  readonly url: string;
  /** The name of the variable that has the key. */
  readonly key: string | null;
}

export interface About {
  readonly kind?: ErrorKind;
  readonly facts?: Facts;
  readonly remedy?: string;
  readonly cause?: unknown;
}

export abstract class ModelFault extends IcecoreError {
  abstract readonly fault: FaultKind;
  /** Whether it may go better a moment later. */
  readonly isPassing: boolean = false;
  /** Whether no other question would fare better: there is no point in asking on. */
  readonly isHopeless: boolean = false;
  /** Whether the endpoint may have worked, and want to be paid. */
  readonly mayBePaid: boolean = false;
  readonly place: Place;

  constructor(place: Place, words: string, { kind = 'unavailable', facts = {}, remedy, cause }: About = {}) {
    super(kind, `the model ${place.entry} at ${place.url}: ${words}`, {
      facts: { model: place.entry, url: place.url, ...facts },
      ...(remedy === undefined ? {} : { remedy }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.place = place;
  }

  /** The same after so many attempts. */
  after(attempts: number): this {
    if (attempts > 1) this.message += ` (${attempts} attempts)`;
    return this;
  }
}
