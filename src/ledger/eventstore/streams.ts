// The names of streams on the server: the prefix of the ledger, a dot, and the stream. For the server, the part up to the first
// dash is the category.
import { categories, streamPattern } from '../../../schemas/streams.ts';

export class StreamNames {
  readonly #before: string;
  /** Matches all streams of the ledger, and their settings. */
  readonly prefixes: readonly string[];
  /** The stream with the ledger's identity. */
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

  /** Null: not a stream of the ledger. */
  inLedger(name: string): string | null {
    if (!name.startsWith(this.#before)) return null;
    const stream = name.slice(this.#before.length);
    return streamPattern.test(stream) ? stream : null;
  }
}

const settingsBefore = '$$';

/** The stream whose settings are in this one; null: none. */
export function settingsOf(name: string): string | null {
  return name.startsWith(settingsBefore) ? name.slice(settingsBefore.length) : null;
}
