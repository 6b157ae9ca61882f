// What the faults are tried on: ledgers in a Kafka for tests, opened as the same machine opens them or as another one does,
// which knows nothing of them yet.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../../ledger.ts';
import { openLedger } from '../../../open.ts';
import { clients } from '../../place.ts';
import type { Kafka, OwnBrokers } from '../broker.ts';

/** Brings the tables in a folder up to date, and says how many rows they have of each stream, and of how many revisions. */
export type CountInTables = (
  ledger: Ledger,
  folder: string,
) => Promise<ReadonlyMap<string, { readonly rows: number; readonly revisions: number }>>;

export class FaultBench {
  readonly kafka: Kafka;
  readonly countInTables: CountInTables;
  readonly #folder = mkdtempSync(join(tmpdir(), 'icecore-faults-'));
  readonly #cacheBefore = process.env['ICECORE_CACHE'];
  readonly #opened: Ledger[] = [];
  #made = 0;

  constructor(kafka: Kafka, countInTables: CountInTables) {
    this.kafka = kafka;
    this.countInTables = countInTables;
    process.env['ICECORE_CACHE'] = this.folder();
  }

  get own(): OwnBrokers {
    const { own } = this.kafka;
    if (own === null) throw new Error('not brokers of our own');
    return own;
  }

  folder(): string {
    return mkdtempSync(join(this.#folder, 'part-'));
  }

  /** The URL of a new and empty ledger, spoken to by one client after the other. */
  async fresh(): Promise<string> {
    const url = this.unmade();
    await (await openLedger(url, { create: true })).close();
    return url;
  }

  /** Where none is yet. */
  unmade(): string {
    const client = clients[this.#made++ % clients.length];
    const prefix = `faults-${randomBytes(6).toString('hex')}`;
    return `kafka://${this.kafka.brokers.join(',')}/${prefix}?client=${client}&partitions=3`;
  }

  /** The same ledger, by way of another address. */
  by(address: string, url: string): string {
    return url.replace(this.kafka.brokers.join(','), address);
  }

  async open(url: string): Promise<Ledger> {
    const ledger = await openLedger(url);
    this.#opened.push(ledger);
    return ledger;
  }

  /** As a machine that has read nothing of it. */
  async openElsewhere(url: string): Promise<Ledger> {
    const here = process.env['ICECORE_CACHE'];
    process.env['ICECORE_CACHE'] = this.folder();
    try {
      return await this.open(url);
    } finally {
      process.env['ICECORE_CACHE'] = here;
    }
  }

  async closeLedgers(): Promise<void> {
    for (const ledger of this.#opened.splice(0)) await ledger.close();
  }

  async end(): Promise<void> {
    await this.closeLedgers();
    if (this.#cacheBefore === undefined) delete process.env['ICECORE_CACHE'];
    else process.env['ICECORE_CACHE'] = this.#cacheBefore;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
