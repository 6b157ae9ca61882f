// The interface of a store's fixture for the contract.
import type { Ledger } from '../ledger.ts';

export interface Fixture {
  /**
   * Tests on many ledgers or with many processes take long, and the parts of a composed store are tested by themselves, so only a
   * part of these tests runs.
   */
  readonly isSlow?: boolean;
  /** The URL of a new, empty ledger. Any process of this machine can open it with `openLedger`. */
  fresh(): Promise<string>;
  /** Opens it like another process: nothing is shared with ledgers opened before. */
  open(url: string): Promise<Ledger>;
  /** Releases all resources of the fixture. */
  dispose(): Promise<void>;
}

/** Opens ledgers for one test and closes them after it; some are shared by all tests that only read them. */
export class Bench {
  readonly #fixture: Fixture;
  readonly #opened: Ledger[] = [];
  readonly #kept = new Map<string, Promise<Ledger>>();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  /** The number of repetitions that the store can do in reasonable time, out of those wanted. */
  some(repetitions: number): number {
    return this.#fixture.isSlow === true ? Math.ceil(repetitions / 10) : repetitions;
  }

  /** The numbers of concurrent writers. */
  get writers(): readonly number[] {
    return Array.from({ length: this.#fixture.isSlow === true ? 3 : 8 }, (_, writer) => writer);
  }

  async fresh(): Promise<Ledger> {
    return this.open(await this.#fixture.fresh());
  }

  /** A ledger shared by all tests that call it with this key, created and filled for the first of them. */
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

  /** The ledger after a restart: closed and opened again. */
  async reopen(ledger: Ledger): Promise<Ledger> {
    await ledger.close();
    return this.open(ledger.url);
  }

  async close(): Promise<void> {
    for (const ledger of this.#opened.splice(0)) await ledger.close();
  }

  /** Including the shared ones. */
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
