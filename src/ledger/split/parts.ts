// The two parts of a split ledger, and what lies in which: evidence in the one, everything that decides or tells in the
// other. Where only one of them can hold what is asked for, the other is not asked.
import { eventTypes } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import { LedgerClosed } from '../errors.ts';
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

/** Whether there may be streams of such names. */
export function mayHoldNames(part: Part, prefix: string): boolean {
  const ofEvidence = prefix.startsWith('evidence-');
  return part === 'decisions' ? !ofEvidence : ofEvidence || 'evidence-'.startsWith(prefix);
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

/** Asked for at once, before it could be waited for. */
export class PartUnopened extends IcecoreError {
  override readonly name = 'PartUnopened';

  constructor({ part, url }: Pick<Store, 'part' | 'url'>) {
    super('unavailable', `the ${part} of the ledger: ${url} did not answer when the ledger was opened`, {
      facts: { part, url },
      remedy: 'Run the same again when it answers: icecore doctor says whether it does.',
    });
  }
}

/** Of a failure of a part, what is told of the whole. */
export function toldOf(part: Part, url: string, error: unknown): unknown {
  const isAway = error instanceof IcecoreError && error.kind === 'unavailable' && !(error instanceof PartUnavailable);
  return isAway ? new PartUnavailable(part, url, error, error) : error;
}

/** One part, which says that it is the one when it does not answer. Where it is not open yet, it is opened when it is asked. */
export class Store {
  readonly part: Part;
  readonly url: string;
  readonly #open: Opener;
  readonly #end = new AbortController();
  #ledger: Ledger | null = null;
  #opening: Promise<Ledger> | null = null;

  private constructor(part: Part, url: string, open: Opener) {
    this.part = part;
    this.url = url;
    this.#open = open;
  }

  static of(part: Part, ledger: Ledger): Store {
    const store = new Store(part, ledger.url, async () => ledger);
    store.#ledger = ledger;
    return store;
  }

  static unopened(part: Part, url: string, open: Opener): Store {
    return new Store(part, url, open);
  }

  /** Null as long as it has not been opened. */
  get ledger(): Ledger | null {
    return this.#ledger;
  }

  async ask<Answer>(question: (ledger: Ledger) => Promise<Answer>): Promise<Answer> {
    try {
      return await question(await this.#opened());
    } catch (error) {
      throw this.#told(error);
    }
  }

  async *pages<Page>(question: (ledger: Ledger) => AsyncIterable<Page>): AsyncGenerator<Page> {
    try {
      yield* question(await this.#opened());
    } catch (error) {
      throw this.#told(error);
    }
  }

  async close(): Promise<void> {
    this.#end.abort(new LedgerClosed(this.url));
    await (this.#ledger ?? (await this.#opening?.catch(() => null)))?.close();
  }

  /** Those who ask at the same time wait for the same; who asks after it was away, asks anew. */
  async #opened(): Promise<Ledger> {
    if (this.#ledger !== null) return this.#ledger;
    const { signal } = this.#end;
    signal.throwIfAborted();
    this.#opening ??= this.#open(signal);
    try {
      this.#ledger = await this.#opening;
      return this.#ledger;
    } catch (error) {
      signal.throwIfAborted();
      this.#opening = null;
      throw error;
    }
  }

  #told(error: unknown): unknown {
    return toldOf(this.part, this.url, error);
  }
}

type Opener = (signal: AbortSignal) => Promise<Ledger>;
