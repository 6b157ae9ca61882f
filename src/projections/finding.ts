// Finds events by id in every ledger: if the ledger itself cannot find them, its tables say where they are, and they
// are read from there.
import { idDigits } from '../ledger/event.ts';
import { eventAt, type Ledger } from '../ledger/ledger.ts';
import type { StoredEvent } from '../ledger/stored.ts';
import type { Questions } from './query/questions.ts';

/** Provides queries on up-to-date tables until the body is done. */
export type AskTables = (body: (questions: Questions) => Promise<void>) => Promise<void>;

export class EventFinder {
  readonly #ledger: Ledger;
  readonly #askTables: AskTables | null;
  readonly #end = Promise.withResolvers<void>();
  #asking: Promise<void> | null = null;
  #questions: Promise<Questions> | null = null;

  /** Without tables it finds what the ledger itself can. The tables are opened on the first lookup in them. */
  constructor(ledger: Ledger, askTables: AskTables | null = null) {
    this.#ledger = ledger;
    this.#askTables = askTables;
  }

  /** Whether it finds every existing event. */
  get findsAll(): boolean {
    return this.#ledger.capabilities.findById || this.#askTables !== null;
  }

  /** By a whole id or a prefix of at least four hexadecimal digits; at most `limit`. */
  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const digits = idDigits(id);
    if (digits === null) return [];
    const found = await this.#ledger.find(id, limit);
    // A whole id is unique; a prefix may also match events that the ledger does not look at.
    const isComplete = this.#ledger.capabilities.findById || (digits.length === 32 && found.length > 0);
    return isComplete || this.#askTables === null ? found : await this.#inTables(digits, limit, this.#askTables);
  }

  async close(): Promise<void> {
    this.#end.resolve();
    await this.#asking;
  }

  async #inTables(digits: string, limit: number, askTables: AskTables): Promise<readonly StoredEvent[]> {
    this.#questions ??= this.#open(askTables);
    const [low, high] = [uuid(digits.padEnd(32, '0')), uuid(digits.padEnd(32, 'f'))];
    const answer = await (await this.#questions).ask(
      `SELECT stream, revision FROM events WHERE id BETWEEN '${low}' AND '${high}' ORDER BY id LIMIT ${limit}`,
    );
    const found: StoredEvent[] = [];
    for await (const chunk of answer.chunks()) {
      for (const [stream, revision] of chunk.getRows()) {
        const event = await eventAt(this.#ledger, { stream: String(stream), revision: Number(revision) });
        if (event !== null) found.push(event);
      }
    }
    return found;
  }

  /** They stay open until `close`. */
  #open(askTables: AskTables): Promise<Questions> {
    return new Promise((resolve, reject) => {
      this.#asking = askTables(async (questions) => {
        resolve(questions);
        await this.#end.promise;
      }).catch(reject);
    });
  }
}

function uuid(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
