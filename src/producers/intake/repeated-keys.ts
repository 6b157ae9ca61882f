// A key that stands twice in one object: JSON.parse keeps the last one without a word, so that what is recorded would not
// be what was sent. Every event is looked at, so that the good one is only counted: its text has as many quotes with a
// colon behind them as its value has keys. Only where there are more is the text read token by token, to name the key.
import { parseJson } from '../../../schemas/json-text.ts';
import { fieldOf } from '../../../schemas/phrase.ts';
import { backslash, closeList, closeObject, colon, comma, openList, openObject, quote } from './characters.ts';
import { badPiece, placeOf } from './faults.ts';

export interface RepeatedKey {
  /** Where it stands, as a path, the key itself last. */
  readonly path: readonly PropertyKey[];
  /** The key as the text has it, quotes and escapes included. */
  readonly written: string;
  /** From 1, within the text. */
  readonly line: number;
  readonly column: number;
}

/** Throws BadPiece where a key repeats one of its object. The text begins at a line of the input, its value at a path. */
export function refuseRepeatedKeys(text: string, line: number, path: readonly PropertyKey[] = []): void {
  const repeated = findRepeatedKey(text);
  if (repeated === null) return;
  const place = placeOf(line, repeated.line, repeated.column);
  const key = repeated.written.slice(0, longestShown);
  throw badPiece(
    fieldOf([...path, ...repeated.path]),
    `the key ${key} a second time, at ${place}`,
    'each key once in an object',
  );
}

const longestShown = 60;

/** The first key that repeats one of its object, in a text that JSON.parse has taken. */
export function findRepeatedKey(text: string): RepeatedKey | null {
  return new Scanner(text).find();
}

const space = 0x20;

/**
 * False only where no key repeats another; `keys` is how many there are in what the text was parsed to. Every key has a
 * quote and a colon behind it. So has the beginning of a text like ":)", so that there may be more of them than keys.
 */
export function mayRepeatKeys(text: string, keys: number): boolean {
  let most = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= space) before--;
    if (text.charCodeAt(before) === quote && !isEscaped(text, before)) most++;
  }
  return most !== keys;
}

/** An odd number of backslashes stands before it: this quote does not end its text. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}

/** An object with the keys seen so far, or a list; `step` leads to the member the scanner is in. */
type Open = { readonly keys: Set<string>; step: string } | { readonly keys: null; step: number };

class Scanner {
  readonly #text: string;
  readonly #open: Open[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  find(): RepeatedKey | null {
    const text = this.#text;
    for (let at = 0; at < text.length; at++) {
      switch (text.charCodeAt(at)) {
        case quote: {
          const end = this.#endOfString(at);
          if (this.#isKey(end) && this.#repeats(text.slice(at, end))) return this.#here(at, end);
          at = end - 1;
          break;
        }
        case comma:
          this.#goOn();
          break;
        case openObject:
          this.#open.push({ keys: new Set(), step: '' });
          break;
        case openList:
          this.#open.push({ keys: null, step: 0 });
          break;
        case closeObject:
        case closeList:
          this.#open.pop();
      }
    }
    return null;
  }

  #goOn(): void {
    const innermost = this.#open.at(-1);
    if (innermost?.keys === null) innermost.step++;
  }

  #endOfString(at: number): number {
    let end = this.#text.indexOf('"', at + 1);
    while (isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    return end + 1;
  }

  #isKey(end: number): boolean {
    let next = end;
    while (this.#text.charCodeAt(next) <= space) next++;
    return this.#text.charCodeAt(next) === colon;
  }

  #repeats(written: string): boolean {
    const innermost = this.#open.at(-1);
    if (innermost === undefined || innermost.keys === null) return false;
    innermost.step = written.includes('\\') ? (parseJson(written) as string) : written.slice(1, -1);
    const { size } = innermost.keys;
    return innermost.keys.add(innermost.step).size === size;
  }

  #here(at: number, end: number): RepeatedKey {
    const before = this.#text.slice(0, at);
    return {
      path: this.#open.map(({ step }) => step),
      written: this.#text.slice(at, end),
      line: before.split('\n').length,
      column: at - before.lastIndexOf('\n'),
    };
  }
}
