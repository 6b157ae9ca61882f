// A clock that goes on by as much as it is told: two histories of the same seed happened at the same moments.
export class Clock {
  #milliseconds: number;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** So much later, as events write it. */
  after(milliseconds: number): string {
    this.#milliseconds += milliseconds;
    return new Date(this.#milliseconds).toISOString();
  }
}
