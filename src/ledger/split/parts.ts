// The two parts of a split ledger, and what lies in which: evidence in the one, everything that decides or tells in the
// other. Where only one of them can hold what is asked for, the other is not asked.
import { eventTypes } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { Ledger } from '../ledger.ts';

/** Decisions first: what is read of them rests on evidence that was there before them. */
export const parts = ['decisions', 'evidence'] as const;

export type Part = (typeof parts)[number];

export type Both<Thing> = Readonly<Record<Part, Thing>>;

export function otherThan(part: Part): Part {
  return part === 'decisions' ? 'evidence' : 'decisions';
}

/** Streams with a chain hold decisions; those with a seal, evidence. */
export function partOf(stream: string): Part {
  return isChained(stream) ? 'decisions' : 'evidence';
}

export interface Filter {
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
}

/** What a part is to be asked for; null where it can have nothing of it. */
export function askedOf(part: Part, { types, streams }: Filter): Filter | null {
  const own = {
    ...(types === undefined ? {} : { types: types.filter((type) => mayHold(part, type)) }),
    ...(streams === undefined ? {} : { streams: streams.filter((stream) => partOf(stream) === part) }),
  };
  return own.types?.length === 0 || own.streams?.length === 0 ? null : own;
}

/** A type that a newer icecore wrote may be anywhere. */
function mayHold(part: Part, type: string): boolean {
  const categories = eventTypes.get(type)?.categories;
  return categories?.some((category) => (category === 'evidence') === (part === 'evidence')) ?? true;
}

/** A store that does not answer: which of the two it is decides what can go on without it. */
export class PartUnavailable extends IcecoreError {
  override readonly name = 'PartUnavailable';
  readonly part: Part;

  constructor(part: Part, url: string, { message, facts, remedy }: IcecoreError, cause: unknown) {
    super('unavailable', `the ${part} of the ledger: ${message}`, {
      facts: { ...facts, part, url },
      remedy,
      cause,
    });
    this.part = part;
  }
}

/** Of a failure of a part, what is told of the whole. */
export function toldOf(part: Part, url: string, error: unknown): unknown {
  const isAway = error instanceof IcecoreError && error.kind === 'unavailable' && !(error instanceof PartUnavailable);
  return isAway ? new PartUnavailable(part, url, error, error) : error;
}

/** One part, which says that it is the one when it does not answer. */
export class Store {
  readonly part: Part;
  readonly ledger: Ledger;

  constructor(part: Part, ledger: Ledger) {
    this.part = part;
    this.ledger = ledger;
  }

  async ask<Answer>(question: (ledger: Ledger) => Promise<Answer>): Promise<Answer> {
    try {
      return await question(this.ledger);
    } catch (error) {
      throw this.#told(error);
    }
  }

  async *pages<Page>(question: (ledger: Ledger) => AsyncIterable<Page>): AsyncGenerator<Page> {
    try {
      yield* question(this.ledger);
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    return toldOf(this.part, this.ledger.url, error);
  }
}
