// Parses JSON correctly despite a fault of V8: from version 12.8, so in Node 24 and later, it may confuse an escaped member name
// with one it parsed earlier. After {"a": 1, "\\": 2}, the text {"a": 1, "\n": 2} yields a member named "\" (nodejs/node issue
// 63785). Such names are replaced before parsing and restored in the result.

export function parseJson(text: string): unknown {
  return hasEscapedName(text) ? parseWithStandIns(text) : JSON.parse(text);
}

/** Undefined if the text is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether the value is a JSON object: no list, not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasEscapedName(text: string): boolean {
  for (const { end } of escapedStrings(text)) if (isName(text, end)) return true;
  return false;
}

interface Span {
  /** The position of its opening quotation mark. */
  readonly start: number;
  /** The position after its closing quotation mark. */
  readonly end: number;
}

/** The strings with escapes. Stops early in text that is not JSON. */
function* escapedStrings(text: string): Generator<Span> {
  let backslash = text.indexOf('\\');
  while (backslash >= 0) {
    // The first backslash of a string: nothing between it and the quotation mark before it is escaped.
    const start = text.lastIndexOf('"', backslash);
    let quote = -1;
    do {
      const next = backslash + 2;
      if (quote < next) quote = text.indexOf('"', next);
      backslash = text.indexOf('\\', next);
    } while (backslash >= 0 && backslash < quote);
    if (start < 0 || quote < 0) return;
    yield { start, end: quote + 1 };
  }
}

const blank = /[ \t\r\n]/;

function isName(text: string, end: number): boolean {
  let at = end;
  while (blank.test(text.charAt(at))) at++;
  return text.charAt(at) === ':';
}

function parseWithStandIns(text: string): unknown {
  const mark = markFor(text);
  const names: string[] = [];
  let written = '';
  let from = 0;
  for (const { start, end } of escapedStrings(text)) {
    if (!isName(text, end)) continue;
    const name = nameIn(text.slice(start, end));
    // Parses the original text, so that a syntax error describes it.
    if (name === null) return JSON.parse(text);
    written += `${text.slice(from, start)}"${mark}${names.length}"`;
    names.push(name);
    from = end;
  }
  try {
    return renamed(JSON.parse(written + text.slice(from)), mark, names);
  } catch {
    return JSON.parse(text);
  }
}

function nameIn(string: string): string | null {
  try {
    return JSON.parse(string) as string;
  } catch {
    return null;
  }
}

/** A short prefix that no name in the text begins with; it is written once for each name. */
function markFor(text: string): string {
  const taken = new Set<number>();
  for (const [, number] of text.matchAll(/"~(\d{1,9})~/g)) taken.add(Number(number));
  let free = 0;
  while (taken.has(free)) free++;
  return `~${free}~`;
}

function renamed(value: unknown, mark: string, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => renamed(one, mark, names));
  const named = (key: string): string => (key.startsWith(mark) ? (names[Number(key.slice(mark.length))] ?? key) : key);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [named(key), renamed(one, mark, names)]));
}
