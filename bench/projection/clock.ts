// A clock that advances on request only, so that two histories with the same seed have the same times.
export class Clock {
  #milliseconds: number;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Advances, and returns the time as events write it. */
  after(milliseconds: number): string {
    this.#milliseconds += milliseconds;
    return new Date(this.#milliseconds).toISOString();
  }
}
