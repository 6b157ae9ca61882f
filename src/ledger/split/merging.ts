// Two rows, each in order, as one: always the one of the two that comes first. Of either no more is held than the page at
// hand.
import type { Both, Part } from './parts.ts';

/** What comes next on either side; undefined where it has ended. */
export interface Merging<Item, Made> {
  /** Whether what comes next of the decisions is before what comes next of the evidence. */
  readonly isBefore: (decision: Item, evidence: Item) => boolean;
  /** What is handed on for an item; `next` is what the other side has next. */
  readonly make: (part: Part, item: Item, next: Item | undefined) => Made;
  readonly weigh: (item: Item) => number;
}

const pageItems = 1000;
const pageWeight = 4_000_000;

export async function* merged<Item, Made>(
  pages: Both<AsyncIterable<readonly Item[]>>,
  { isBefore, make, weigh }: Merging<Item, Made>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Made[]> {
  const decisions = new Hand(pages.decisions);
  const evidence = new Hand(pages.evidence);
  let page: Made[] = [];
  let weight = 0;
  try {
    for (let left = limit; left > 0; left--) {
      if (
        page.length > 0 &&
        (decisions.isEmpty || evidence.isEmpty || page.length >= pageItems || weight >= pageWeight)
      ) {
        yield page;
        page = [];
        weight = 0;
      }
      // In this order, because each row ends where it ended when it was first asked for.
      await decisions.fill();
      await evidence.fill();
      const [decision, finding] = [decisions.next, evidence.next];
      if (decision === undefined && finding === undefined) break;
      const isDecision = finding === undefined || (decision !== undefined && isBefore(decision, finding));
      const item = (isDecision ? decisions : evidence).take();
      page.push(isDecision ? make('decisions', item, finding) : make('evidence', item, decision));
      weight += weigh(item);
    }
    if (page.length > 0) yield page;
  } finally {
    await Promise.all([decisions.stop(), evidence.stop()]);
  }
}

/** A row that is being merged: the page at hand and how far it is used up. */
class Hand<Item> {
  readonly #pages: AsyncIterator<readonly Item[]>;
  #page: readonly Item[] = [];
  #at = 0;
  #hasEnded = false;

  constructor(pages: AsyncIterable<readonly Item[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** Nothing is at hand, and there may be more. */
  get isEmpty(): boolean {
    return !this.#hasEnded && this.#at === this.#page.length;
  }

  get next(): Item | undefined {
    return this.#page[this.#at];
  }

  async fill(): Promise<void> {
    while (this.isEmpty) {
      const { done, value } = await this.#pages.next();
      this.#hasEnded = done === true;
      this.#page = done === true ? [] : value;
      this.#at = 0;
    }
  }

  take(): Item {
    const item = this.#page[this.#at] as Item;
    this.#at++;
    return item;
  }

  async stop(): Promise<void> {
    await this.#pages.return?.();
  }
}
