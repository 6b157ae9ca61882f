// The two parts of a split ledger: evidence in one, all other events in the other. If only one of them can contain the requested
// events, the other is not used, so run events can be read while the evidence is unavailable.
import { eventTypes } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import { isAway, LedgerClosed } from '../errors.ts';
import type { Ledger, ReadAllOptions } from '../ledger.ts';

export const parts = ['decisions', 'evidence'] as const;

export type Part = (typeof parts)[number];

/** Streams with a seal hold evidence; those with a chain are in the other part. */
export function partOf(stream: string): Part {
  return isChained(stream) ? 'decisions' : 'evidence';
}

export type Filter = Pick<ReadAllOptions, 'types' | 'streams'>;

/** The part of a filter that concerns one part of the ledger; null: that part cannot contain a match. */
export function filterFor(part: Part, { types, streams }: Filter): Filter | null {
  const own = {
    types: types?.filter((type) => mayHold(part, type)),
    streams: streams?.filter((stream) => partOf(stream) === part),
  };
  return own.types?.length === 0 || own.streams?.length === 0 ? null : own;
}

/** Unknown types, written by a newer icecore, may be in either part. */
function mayHold(part: Part, type: string): boolean {
  const categories = eventTypes.get(type)?.categories;
  return categories?.some((category) => (category === 'evidence') === (part === 'evidence')) ?? true;
}

/** Says which part of the ledger does not answer, since that decides what can continue without it. Other errors stay as they are. */
export function failureOf(part: Part, url: string, error: unknown): unknown {
  const name = 'PartUnavailable';
  if (!isAway(error) || error.name === name) return error;
  const { message, facts, remedy, commandRemedy } = error;
  const more = { name, facts: { ...facts, part, url }, remedy, commandRemedy, cause: error };
  return new IcecoreError('unavailable', `the ${part} of the ledger: ${message}`, more);
}

type Opener = (signal: AbortSignal) => Promise<Ledger>;

/** A part, which names itself in errors of availability. If it is not open yet, its first use opens it. */
export class Store {
  readonly part: Part;
  readonly url: string;
  readonly #open: Opener;
  readonly #end = new AbortController();
  #ledger: Ledger | null = null;
  #opening: Promise<Ledger> | null = null;

  /** Not open yet. */
  constructor(part: Part, url: string, open: Opener) {
    this.part = part;
    this.url = url;
    this.#open = open;
  }

  static of(part: Part, ledger: Ledger): Store {
    const store = new Store(part, ledger.url, async () => ledger);
    store.#ledger = ledger;
    return store;
  }

  /** Null until it has been opened. */
  get ledger(): Ledger | null {
    return this.#ledger;
  }

  async ask<Answer>(question: (ledger: Ledger) => Promise<Answer>): Promise<Answer> {
    try {
      return await question(await this.#opened());
    } catch (error) {
      throw failureOf(this.part, this.url, error);
    }
  }

  async *pages<Page>(question: (ledger: Ledger) => AsyncIterable<Page>): AsyncGenerator<Page> {
    try {
      yield* question(await this.#opened());
    } catch (error) {
      throw failureOf(this.part, this.url, error);
    }
  }

  async close(): Promise<void> {
    this.#end.abort(new LedgerClosed(this.url));
    await (this.#ledger ?? (await this.#opening?.catch(() => null)))?.close();
  }

  /** Concurrent callers share one opening; after a failure the next caller tries again. */
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
}
