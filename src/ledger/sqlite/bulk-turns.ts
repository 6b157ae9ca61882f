// Bulk appends go one after another, on a thread that is started for the first of them and again if it ever dies. What is
// appended meanwhile waits for those under way, so that the order of calls is the order in the ledger.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { Bulk } from './bulk.ts';
import { translate } from './faults.ts';
import type { Written } from './writing.ts';

const nothing = (): void => undefined;

export class BulkTurns {
  readonly #path: string;
  #bulk: Bulk | null = null;
  #underWay: Promise<void> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Settles when the appends under way are done; null when there are none. */
  get underWay(): Promise<void> | null {
    return this.#underWay;
  }

  /** `mayBegin` is asked when its turn has come, and throws when it must not begin any more. */
  async append(stream: string, events: readonly NewEvent[], mayBegin: () => void): Promise<Written> {
    const turn = this.#inTurn(this.#underWay, stream, events, mayBegin);
    const settled = turn.then(nothing, nothing);
    this.#underWay = settled;
    try {
      return await turn;
    } catch (error) {
      throw translate(error, this.#path);
    } finally {
      if (this.#underWay === settled) this.#underWay = null;
    }
  }

  async close(): Promise<void> {
    await this.#underWay;
    await this.#bulk?.close();
  }

  async #inTurn(
    before: Promise<void> | null,
    stream: string,
    events: readonly NewEvent[],
    mayBegin: () => void,
  ): Promise<Written> {
    await before;
    mayBegin();
    if (this.#bulk === null || this.#bulk.broken) this.#bulk = new Bulk(this.#path);
    return await this.#bulk.append(stream, events);
  }
}
