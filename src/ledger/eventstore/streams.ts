// How the streams of a ledger are called on the server: the prefix of the ledger, a dot, and the stream. Up to the first dash
// that is what the server takes for the category.
import { categories, streamPattern } from '../../../schemas/streams.ts';

export class StreamNames {
  readonly #before: string;
  /** Of all streams of the ledger, and of the settings of each. */
  readonly prefixes: readonly string[];
  /** Where the ledger's identity stands. */
  readonly identity: string;

  constructor(prefix: string) {
    this.#before = `${prefix}.`;
    this.identity = `${this.#before}ledger`;
    const own = [...categories.map((category) => `${this.#before}${category}-`), this.identity];
    this.prefixes = own.flatMap((name) => [name, `$$${name}`]);
  }

  onServer(stream: string): string {
    return `${this.#before}${stream}`;
  }

  /** Null where it is none of the ledger. */
  inLedger(name: string): string | null {
    if (!name.startsWith(this.#before)) return null;
    const stream = name.slice(this.#before.length);
    return streamPattern.test(stream) ? stream : null;
  }
}

const settingsBefore = '$$';

/** The stream whose settings stand in this one; null where it holds none. */
export function settingsOf(name: string): string | null {
  return name.startsWith(settingsBefore) ? name.slice(settingsBefore.length) : null;
}
