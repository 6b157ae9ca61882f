// Notices when nothing was heard for too long while something is expected.

export class Silence {
  readonly #noticed: (limitMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #heard = 0;

  constructor(noticed: (limitMs: number) => void) {
    this.#noticed = noticed;
  }

  /** From now on something is expected within so many milliseconds. */
  expect(limitMs: number): void {
    this.stop();
    this.#timer = setTimeout(() => this.#expire(limitMs), limitMs);
  }

  /** Something was heard: the time begins anew. */
  hear(): void {
    this.#heard += 1;
    this.#timer?.refresh();
  }

  /** Nothing is expected any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Where this process itself was busy all the while, the answer may lie there unread: it is given a turn to be read. */
  #expire(limitMs: number): void {
    const heard = this.#heard;
    const armed = this.#timer;
    setImmediate(() =>
      setImmediate(() => {
        if (this.#timer === armed && armed !== undefined && this.#heard === heard) this.#noticed(limitMs);
      }),
    );
  }
}
