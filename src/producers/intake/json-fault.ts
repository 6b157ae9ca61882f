// Where a text stops being JSON, in words a person can act on. Run only on texts that JSON.parse has refused: it says that
// there is a fault, this says where and what is meant.

export interface JsonFault {
  /** From 1, within the text. */
  readonly line: number;
  readonly column: number;
  readonly found: string;
  readonly allowed: string;
  /** The text ends before the value does. */
  readonly isTruncated: boolean;
}

export function findJsonFault(text: string): JsonFault {
  return new Scanner(text).fault();
}

/** What stands where JSON should, as other languages write it. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/^[-+]?(?:NaN|nan)\b/, 'null where there is no number: JSON has no NaN'],
  [/^[-+]?(?:Infinity|inf)\b/, 'null where there is no number: JSON has no infinity'],
  [/^(?:True|False)\b/, 'true or false, in lower case'],
  [/^(?:None|undefined|nil)\b/, 'null'],
  [/^'/, 'texts in double quotes'],
  [/^(?:\/\/|\/\*|#)/, 'JSON, which has no comments'],
];

const scalar = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in texts
const inString = /(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const space = /[ \t\r\n]*/y;

type Expected = 'value' | 'key' | 'comma';

class Scanner {
  readonly #text: string;
  #index = 0;
  /** The brackets that are open, innermost last. */
  readonly #open: ('{' | '[')[] = [];
  #expected: Expected = 'value';
  /** A bracket was just opened, and may be closed at once. */
  #isFirst = false;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): JsonFault {
    for (;;) {
      this.#skip(space);
      const allowed = this.#closes() ? null : this.#step();
      if (allowed !== null) return this.#here(allowed);
    }
  }

  #closes(): boolean {
    const end = this.#open.at(-1) === '{' ? '}' : ']';
    const may = this.#open.length > 0 && (this.#expected === 'comma' || this.#isFirst);
    if (!may || this.#text[this.#index] !== end) return false;
    this.#open.pop();
    this.#take('comma');
    return true;
  }

  /** Takes one token; returns what was allowed where another stands. */
  #step(): string | null {
    if (this.#expected === 'comma') return this.#comma();
    return this.#expected === 'key' ? this.#key() : this.#value();
  }

  #comma(): string | null {
    const inside = this.#open.at(-1);
    if (inside === undefined) return 'the end';
    if (this.#text[this.#index] !== ',') return inside === '{' ? '"," or "}"' : '"," or "]"';
    this.#take(inside === '{' ? 'key' : 'value');
    return null;
  }

  #key(): string | null {
    if (this.#text[this.#index] !== '"') return 'a key in double quotes';
    const allowed = this.#string();
    if (allowed !== null) return allowed;
    this.#skip(space);
    if (this.#text[this.#index] !== ':') return '":"';
    this.#take('value');
    return null;
  }

  #value(): string | null {
    const character = this.#text[this.#index];
    if (character === '{' || character === '[') {
      this.#open.push(character);
      this.#take(character === '{' ? 'key' : 'value');
      this.#isFirst = true;
      return null;
    }
    const allowed = character === '"' ? this.#string() : this.#skip(scalar) ? null : 'a JSON value';
    if (allowed === null) this.#expect('comma');
    return allowed;
  }

  #string(): string | null {
    this.#index++;
    this.#skip(inString);
    const character = this.#text[this.#index];
    if (character === '\\') return 'an escape JSON knows: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX';
    if (character !== '"') return 'the closing " of a text, with control characters escaped';
    this.#index++;
    return null;
  }

  #take(next: Expected): void {
    this.#index++;
    this.#expect(next);
  }

  #expect(next: Expected): void {
    this.#expected = next;
    this.#isFirst = false;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#index;
    const matches = pattern.test(this.#text);
    if (matches) this.#index = pattern.lastIndex;
    return matches;
  }

  #here(allowed: string): JsonFault {
    const before = this.#text.slice(0, this.#index);
    const line = before.split('\n').length;
    const column = this.#index - before.lastIndexOf('\n');
    const rest = this.#text.slice(this.#index, this.#index + 40);
    if (rest === '') return { line, column, found: 'the end of the text', allowed, isTruncated: true };
    const known = foreign.find(([pattern]) => pattern.test(rest));
    return { line, column, found: firstWord(rest), allowed: known?.[1] ?? allowed, isTruncated: false };
  }
}

function firstWord(rest: string): string {
  const word = /^[-+\w.]+/.exec(rest)?.[0] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return JSON.stringify(word);
}
