// Holds two rows of digests against each other, page by page, as far as they are the same: a Merkle tree grows over what
// both have in common.
import { digestDigits, type Span } from '../seal/span.ts';

export interface Comparison {
  /** How many digests both begin with. */
  readonly same: number;
  /** What comes next on either side; null where that side has ended. */
  readonly next: { readonly here: string | null; readonly there: string | null };
}

/** Ends at the first difference, or where either side ends. What is the same is added to `tree`. */
export async function compare(
  here: AsyncIterable<string>,
  there: AsyncIterable<string>,
  tree: Span,
  onProgress?: (done: number) => Promise<void>,
): Promise<Comparison> {
  const [left, right] = [new Row(here), new Row(there)];
  let same = 0;
  try {
    for (;;) {
      const digits = Math.min(await left.ready(), await right.ready());
      const [a, b] = [left.peek(digits), right.peek(digits)];
      const common = a === b ? digits : firstDifference(a, b);
      tree.addAll(a.slice(0, common));
      left.pass(common);
      right.pass(common);
      same += common / digestDigits;
      if (common < digits || digits === 0) return { same, next: { here: left.digest(), there: right.digest() } };
      await onProgress?.(tree.to);
    }
  } finally {
    await Promise.all([left.stop(), right.stop()]);
  }
}

/** Where the first digest begins that differs. */
function firstDifference(a: string, b: string): number {
  let at = 0;
  while (a.startsWith(b.slice(at, at + digestDigits), at)) at += digestDigits;
  return at;
}

/** Digests as they come, put together in pages of any length. */
class Row {
  readonly #pages: AsyncIterator<string>;
  #page = '';
  #at = 0;

  constructor(pages: AsyncIterable<string>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** How many digits are at hand; 0 at the end. */
  async ready(): Promise<number> {
    if (this.#at === this.#page.length) {
      const next = await this.#pages.next();
      this.#page = next.done === true ? '' : next.value;
      this.#at = 0;
    }
    return this.#page.length - this.#at;
  }

  peek(digits: number): string {
    return this.#page.slice(this.#at, this.#at + digits);
  }

  pass(digits: number): void {
    this.#at += digits;
  }

  digest(): string | null {
    return this.peek(digestDigits) || null;
  }

  async stop(): Promise<void> {
    await this.#pages.return?.();
  }
}
