// Waits for new events in streams of a ledger. It only signals when to look: the state is read from the streams.
import type { Cursor } from '../../../ledger/event.ts';
import type { Ledger } from '../../../ledger/ledger.ts';

export class StreamSignal {
  readonly #closing = new AbortController();
  #hasRung = false;
  #fault: unknown = null;
  #wake: () => void = () => {};

  private constructor(ledger: Ledger, streams: readonly string[], after: Cursor, signal: AbortSignal) {
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    void this.#follow(ledger, { streams, after, signal: ended });
  }

  /** Any event from now on triggers it, and so does the signal. */
  static async open(ledger: Ledger, streams: readonly string[], signal: AbortSignal): Promise<StreamSignal> {
    const { cursor } = await ledger.head();
    return new StreamSignal(ledger, streams, cursor, signal);
  }

  /**
   * Resolves once it was triggered since the last call, or after a timeout. Throws the error that ended the
   * subscription.
   */
  async wait(milliseconds: number | null): Promise<void> {
    if (!this.#hasRung) await this.#rings(milliseconds);
    this.#hasRung = false;
    if (this.#fault !== null) throw this.#fault;
  }

  /** Does not wait for the subscription to end, which can take long if the store is unavailable. */
  close(): void {
    this.#closing.abort();
  }

  async #follow(ledger: Ledger, options: NonNullable<Parameters<Ledger['subscribe']>[0]>): Promise<void> {
    try {
      for await (const delivery of ledger.subscribe(options)) if (delivery.kind === 'events') this.#ring();
    } catch (fault) {
      if (options.signal?.aborted !== true) this.#fault = fault;
    }
    this.#ring();
  }

  #ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  async #rings(milliseconds: number | null): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (milliseconds !== null) timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
  }
}
