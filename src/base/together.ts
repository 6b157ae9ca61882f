// Gathers things that are asked for one by one, at about the same moment, so that they can be done together.

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class Together<Item, Result> {
  readonly #most: number;
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  #waiting: Waiting<Item, Result>[] = [];

  /** At most so many at once. `work` has a result for every item, in their order. */
  constructor(most: number, work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#most = most;
    this.#work = work;
  }

  /** With whatever else is asked for before anything else happens. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#begin());
      if (this.#waiting.length === this.#most) this.#begin();
    });
  }

  #begin(): void {
    const begun = this.#waiting;
    if (begun.length === 0) return;
    this.#waiting = [];
    this.#work(begun.map(({ item }) => item)).then(
      (results) => {
        begun.forEach(({ resolve }, i) => {
          resolve(results[i] as Result);
        });
      },
      (error) => {
        for (const { reject } of begun) reject(error);
      },
    );
  }
}
