// Whatever a ledger does in its file is an attempt: refused once the ledger is closed, made again while somebody else holds
// a lock, and where it fails, what SQLite said comes as an error that says what it means here.
import { LedgerClosed } from '../../errors.ts';
import { isBusy, patiently, translate } from '../../sqlite/access.ts';

export class Attempts {
  readonly #path: string;
  readonly #url: string;
  readonly #meaning: (error: unknown, path: string) => unknown;
  readonly #closed = new AbortController();

  /** `meaning`: of what SQLite says is wrong. */
  constructor(path: string, url: string, meaning: (error: unknown, path: string) => unknown = translate) {
    this.#path = path;
    this.#url = url;
    this.#meaning = meaning;
  }

  get areOver(): boolean {
    return this.#closed.signal.aborted;
  }

  /** The ledger is closed: what waits for a lock, or is about to begin, is refused. */
  end(): void {
    this.#closed.abort();
  }

  /** Aborts when the ledger is closed, or somebody has it stopped. */
  endOr(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
  }

  requireOpen(): void {
    if (this.areOver) throw new LedgerClosed(this.#url);
  }

  /** Mostly there is no lock to wait for, and then nothing is waited for. */
  make<Result>(attempt: () => Result, signal?: AbortSignal): Result | Promise<Result> {
    this.requireOpen();
    signal?.throwIfAborted();
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw this.#meaning(error, this.#path);
    }
    return this.#repeat(attempt, signal);
  }

  async #repeat<Result>(attempt: () => Result, signal?: AbortSignal): Promise<Result> {
    const step = (): Result => {
      this.requireOpen();
      return attempt();
    };
    try {
      return await patiently(this.#path, step, signal);
    } catch (error) {
      throw this.#meaning(error, this.#path);
    }
  }
}
