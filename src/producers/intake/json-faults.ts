// Finds what JSON.parse does not report: where a text stops being JSON, in helpful words; a repeated key, of which it
// keeps the last value; an integer that it rounds. Scans token by token, and only if a quick test says that there is
// something to find.
//
// jsonc-parser is not suitable: it places a fault inside a string at its start, does not distinguish a bad key from a
// bad value, and overflows the stack on deep nesting.
import { fieldOf } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { badPiece, placeOf } from './faults.ts';

interface JsonFault {
  /** From 1, within the text. */
  readonly line: number;
  readonly column: number;
  readonly found: string;
  readonly allowed: string;
  /** The text ends before the value does. */
  readonly isTruncated: boolean;
}

/** For a text that JSON.parse has refused. */
export function findJsonFault(text: string): JsonFault {
  const scanner = new Scanner(text);
  while (scanner.next() !== null);
  if (scanner.fault === null) throw new Error('a text that JSON.parse refuses reads as JSON');
  return scanner.fault;
}

export interface RepeatedKey {
  /** The path of the key, including the key. */
  readonly path: readonly PropertyKey[];
  /** The key as written, including quotes and escapes. */
  readonly written: string;
  /** From 1, within the text. */
  readonly line: number;
  readonly column: number;
}

/** The first repeated key in a text that JSON.parse accepts. */
export function findRepeatedKey(text: string): RepeatedKey | null {
  const scanner = new Scanner(text);
  for (let token = scanner.next(); token !== null; token = scanner.next()) {
    if (!token.isRepeatedKey) continue;
    return { path: scanner.path(), written: text.slice(token.start, token.end), ...scanner.placeOf(token.start) };
  }
  return null;
}

/** Throws BadPiece for a repeated key. `line` is where the text starts in the input, `path` where its value is. */
export function refuseRepeatedKeys(text: string, line: number, path: readonly PropertyKey[] = []): void {
  const repeated = findRepeatedKey(text);
  if (repeated === null) return;
  const place = placeOf(line, repeated.line, repeated.column);
  const found = `the key ${repeated.written.slice(0, 60)} a second time, at ${place}`;
  throw badPiece(fieldOf([...path, ...repeated.path]), found, 'each key once in an object');
}

/** Throws BadPiece at the first integer that JSON.parse has rounded. */
export function refuseWideIntegers(text: string): void {
  const scanner = new Scanner(text);
  for (let token = scanner.next(); token !== null; token = scanner.next()) {
    const source = text.slice(token.start, token.end);
    if (!/^-?[0-9]+$/.test(source) || Number.isSafeInteger(Number(source))) continue;
    const found = `${source}, which JSON readers may round`;
    throw badPiece(fieldOf(scanner.path()), found, 'whole numbers up to 2^53, or digits as text');
  }
}

/**
 * False only if no key is repeated; `keys` is the number of keys after parsing. Every key ends with a quote and a
 * colon. So does the start of a string like ":)", so the count of these may exceed the number of keys.
 */
export function mayRepeatKeys(text: string, keys: number): boolean {
  let most = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= 0x20) before--;
    if (text[before] === '"' && !isEscaped(text, before)) most++;
  }
  return most !== keys;
}

/** After an odd number of backslashes a quote does not end its string. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before--;
  return (at - before) % 2 === 0;
}

/** Deeper nesting is refused: canonical JSON has a lower limit, and deep recursion would overflow the stack. */
export const deepest = 512;

interface Glance {
  /** In all objects together. */
  readonly keys: number;
  /** Whether it has a number beyond the range of exact integers. */
  readonly hasWideNumber: boolean;
  readonly isTooDeep: boolean;
}

/**
 * A quick test of a parsed value that decides whether its text must be scanned. It runs for every event, so it must be
 * cheap.
 */
export function glanceAt(value: unknown): Glance {
  const seen = { keys: 0, hasWideNumber: false, isTooDeep: false };
  look(value, 0, seen);
  return seen;
}

function look(value: unknown, depth: number, seen: { -readonly [what in keyof Glance]: Glance[what] }): void {
  if (typeof value === 'number') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) seen.hasWideNumber = true;
  } else if (typeof value === 'object' && value !== null) {
    if (depth > deepest) {
      seen.isTooDeep = true;
    } else if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) look(value[i], depth + 1, seen);
    } else {
      for (const key in value) {
        seen.keys++;
        look((value as Readonly<Record<string, unknown>>)[key], depth + 1, seen);
      }
    }
  }
}

/** Syntax of other languages that is often used in place of JSON. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/^[-+]?(?:NaN|nan)\b/, 'null for a missing number: JSON has no NaN'],
  [/^[-+]?(?:Infinity|inf)\b/, 'null for a missing number: JSON has no infinity'],
  [/^(?:True|False)\b/, 'true or false, in lower case'],
  [/^(?:None|undefined|nil)\b/, 'null'],
  [/^'/, 'texts in double quotes'],
  [/^(?:\/\/|\/\*|#)/, 'JSON, which has no comments'],
];

const allowedEscapes = 'a JSON escape: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX';

const scalar = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.])/y;
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** A key, or a number, true, false or null. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly isRepeatedKey: boolean;
}

/** An object with its keys so far, or a list; `step` leads to the current member. */
type Open = { readonly keys: Set<string>; step: string } | { readonly keys: null; step: number };

class Scanner {
  /** Where the text stops being JSON. */
  fault: JsonFault | null = null;
  readonly #text: string;
  #index = 0;
  /** Innermost last. */
  readonly #open: Open[] = [];
  #expected: 'value' | 'key' | 'comma' = 'value';
  /** A bracket was just opened and may be closed at once. */
  #isFirst = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Null at the end of the text and at a fault. */
  next(): Token | null {
    for (;;) {
      this.#skipSpace();
      const start = this.#index;
      const character = this.#text[start];
      const inside = this.#open.at(-1);
      if (inside !== undefined && this.#mayClose() && character === (inside.keys === null ? ']' : '}')) {
        this.#open.pop();
        this.#take('comma');
      } else if (this.#expected === 'comma') {
        if (inside === undefined) return start === this.#text.length ? null : this.#fail('the end');
        if (character !== ',') return this.#fail(inside.keys === null ? '"," or "]"' : '"," or "}"');
        if (inside.keys === null) inside.step++;
        this.#take(inside.keys === null ? 'value' : 'key');
      } else if (this.#expected === 'key') {
        if (character !== '"') return this.#fail('a key in double quotes');
        if (!this.#string()) return null;
        const end = this.#index;
        this.#skipSpace();
        if (this.#text[this.#index] !== ':') return this.#fail('":"');
        this.#take('value');
        return { start, end, isRepeatedKey: this.#repeats(this.#text.slice(start, end)) };
      } else if (character === '{' || character === '[') {
        this.#open.push(character === '{' ? { keys: new Set(), step: '' } : { keys: null, step: 0 });
        this.#take(character === '{' ? 'key' : 'value');
        this.#isFirst = true;
      } else if (character === '"') {
        if (!this.#string()) return null;
        this.#expect('comma');
      } else {
        if (!this.#skip(scalar)) return this.#fail('a JSON value');
        this.#expect('comma');
        return { start, end: this.#index, isRepeatedKey: false };
      }
    }
  }

  /** The path of the last token. */
  path(): PropertyKey[] {
    return this.#open.map(({ step }) => step);
  }

  placeOf(index: number): { readonly line: number; readonly column: number } {
    const before = this.#text.slice(0, index);
    return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
  }

  #mayClose(): boolean {
    return this.#expected === 'comma' || this.#isFirst;
  }

  /** Up to after the closing quote. */
  #string(): true | null {
    for (this.#index++; ; ) {
      const code = this.#text.charCodeAt(this.#index);
      if (code === 0x22) break;
      if (code === 0x5c) {
        if (!this.#skip(escapes)) return this.#fail(allowedEscapes);
      } else if (code >= 0x20) this.#index++;
      else return this.#fail('the closing " of a text, with control characters escaped');
    }
    this.#index++;
    return true;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#index))) this.#index++;
  }

  #repeats(written: string): boolean {
    const inside = this.#open.at(-1);
    if (inside === undefined || inside.keys === null) return false;
    inside.step = written.includes('\\') ? (parseJson(written) as string) : written.slice(1, -1);
    const { size } = inside.keys;
    return inside.keys.add(inside.step).size === size;
  }

  #take(next: 'value' | 'key' | 'comma'): void {
    this.#index++;
    this.#expect(next);
  }

  #expect(next: 'value' | 'key' | 'comma'): void {
    this.#expected = next;
    this.#isFirst = false;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#index;
    const matches = pattern.test(this.#text);
    if (matches) this.#index = pattern.lastIndex;
    return matches;
  }

  #fail(allowed: string): null {
    const place = this.placeOf(this.#index);
    const rest = this.#text.slice(this.#index, this.#index + 40);
    if (rest === '') {
      this.fault = { ...place, found: 'the end of the text', allowed, isTruncated: true };
    } else {
      const hint = foreign.find(([pattern]) => pattern.test(rest))?.[1];
      this.fault = { ...place, found: firstWord(rest), allowed: hint ?? allowed, isTruncated: false };
    }
    return null;
  }
}

function firstWord(rest: string): string {
  const word = /^[-+\w.]+/.exec(rest)?.[0] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return JSON.stringify(word);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
