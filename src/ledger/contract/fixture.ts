// What a store supplies to be held to the contract.
import type { Ledger } from '../ledger.ts';

export interface Fixture {
  /**
   * What is done to many ledgers, or by many processes, takes long, or is what its parts are held to by themselves: a part of
   * it must do.
   */
  readonly isSlow?: boolean;
  /** A new and empty ledger's URL. Any process of this machine can open it with `openLedger`. */
  fresh(): Promise<string>;
  /** Opens it as another process would: nothing is shared with ledgers opened before. */
  open(url: string): Promise<Ledger>;
  /** Releases everything the fixture made. */
  dispose(): Promise<void>;
}

/** Opens ledgers for one test and closes them after it, and some for all that only look at them. */
export class Bench {
  readonly #fixture: Fixture;
  readonly #opened: Ledger[] = [];
  readonly #kept = new Map<string, Promise<Ledger>>();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  /** Of so many repetitions, as many as the store can be held to in reasonable time. */
  some(repetitions: number): number {
    return this.#fixture.isSlow === true ? Math.ceil(repetitions / 10) : repetitions;
  }

  /** Those that write at once, by number. */
  get writers(): readonly number[] {
    return Array.from({ length: this.#fixture.isSlow === true ? 3 : 8 }, (_, writer) => writer);
  }

  async fresh(): Promise<Ledger> {
    return this.open(await this.#fixture.fresh());
  }

  /** The same for all tests that call it so, made and filled for the first of them. */
  kept(name: string, fill: (ledger: Ledger) => Promise<unknown> = async () => {}): Promise<Ledger> {
    const kept = this.#kept.get(name) ?? this.#filled(fill);
    this.#kept.set(name, kept);
    return kept;
  }

  async #filled(fill: (ledger: Ledger) => Promise<unknown>): Promise<Ledger> {
    const ledger = await this.#fixture.open(await this.#fixture.fresh());
    await fill(ledger);
    return ledger;
  }

  async open(url: string): Promise<Ledger> {
    const ledger = await this.#fixture.open(url);
    this.#opened.push(ledger);
    return ledger;
  }

  /** What a restart leaves: the ledger closed and opened again. */
  async reopen(ledger: Ledger): Promise<Ledger> {
    await ledger.close();
    return this.open(ledger.url);
  }

  async close(): Promise<void> {
    for (const ledger of this.#opened.splice(0)) await ledger.close();
  }

  /** With those that were kept. */
  async end(): Promise<void> {
    await this.close();
    for (const kept of this.#kept.values()) await (await kept).close();
  }
}

export async function collect<Item>(batches: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}

export async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}
