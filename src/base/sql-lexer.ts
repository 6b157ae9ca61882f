// Splits SQL into words and symbols by the lexical rules of DuckDB, for questions its parser does not answer: where an unfinished
// statement ends, what kind of statement a text begins with, and which tables half a statement names.

/** What is open at the end of a text: a string, a quoted name, a dollar quote, a comment; a blank for none. */
export type Open = "'" | '"' | '$' | '*' | ' ';

interface Token {
  readonly kind: 'skipped' | 'comment' | 'string' | 'name' | 'sign';
  readonly from: number;
  readonly to: number;
  readonly open: Open;
}

/** The last group of a quoted token is its closing quote; if it is missing, the token continues beyond the text. */
const patterns: readonly (readonly [kind: Token['kind'], quote: Open, pattern: RegExp])[] = [
  ['skipped', ' ', /(?:\s+|--[^\n]*)()/y],
  ['string', "'", /[eE]'[^'\\]*(?:(?:''|\\[\s\S]?)[^'\\]*)*(')?/y],
  ['string', "'", /'[^']*(?:''[^']*)*(')?/y],
  ['name', '"', /"[^"]*(?:""[^"]*)*(")?/y],
  ['name', ' ', /[\w\u0080-\uffff][\w$\u0080-\uffff]*()/y],
];
const dollarTag = /\$(?:[a-zA-Z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const commentEdge = /\/\*|\*\//g;

/** All tokens of the text from a position on. */
export function* tokensOf(text: string, start = 0): Generator<Token, void, undefined> {
  for (let from = start; from < text.length; ) {
    const token = tokenAt(text, from);
    yield token;
    from = token.to;
  }
}

function tokenAt(text: string, from: number): Token {
  if (text.startsWith('/*', from)) return ended('comment', '*', text, from, endOfComment(text, from));
  for (const [kind, quote, pattern] of patterns) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found !== null) {
      const isClosed = found[1] !== undefined;
      return { kind, from, to: from + found[0].length, open: isClosed ? ' ' : quote };
    }
  }
  dollarTag.lastIndex = from;
  const tag = dollarTag.exec(text)?.[0];
  if (tag === undefined) return { kind: 'sign', from, to: from + 1, open: ' ' };
  const closing = text.indexOf(tag, from + tag.length);
  return ended('string', '$', text, from, closing < 0 ? null : closing + tag.length);
}

function ended(kind: Token['kind'], quote: Open, text: string, from: number, to: number | null): Token {
  return { kind, from, to: to ?? text.length, open: to === null ? quote : ' ' };
}

/** The end of a comment, which may contain comments. Null: it is not closed. */
function endOfComment(text: string, from: number): number | null {
  let depth = 0;
  commentEdge.lastIndex = from;
  for (let edge = commentEdge.exec(text); edge !== null; edge = commentEdge.exec(text)) {
    depth += edge[0] === '/*' ? 1 : -1;
    if (depth === 0) return commentEdge.lastIndex;
  }
  return null;
}

export interface Word {
  /** In capitals if it is a keyword or an unquoted name. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** All tokens except blanks and comments. */
export function wordsOf(sql: string): readonly Word[] {
  const words: Word[] = [];
  for (const { kind, from, to } of tokensOf(sql)) {
    if (kind === 'skipped' || kind === 'comment') continue;
    const text = sql.slice(from, to);
    words.push({ text: kind === 'name' && !text.startsWith('"') ? text.toUpperCase() : text, from, to });
  }
  return words;
}

/** Whether the text ends within a string or a comment, where nothing can be suggested. */
export function endsWithinText(sql: string): boolean {
  let last: Token | null = null;
  for (const token of tokensOf(sql)) last = token;
  if (last === null) return false;
  return last.open === "'" || last.open === '$' || last.open === '*' || sql.startsWith('--', last.from);
}

const explainOptions: ReadonlySet<string> = new Set(['ANALYZE', 'ANALYSE', 'VERBOSE', 'FORMAT']);

/** The word that the statement begins with, after EXPLAIN and its options; null if there is none. */
export function questionWord(words: readonly Word[]): Word | null {
  const [first, ...rest] = words.slice(
    Math.max(
      0,
      words.findIndex(({ text }) => text !== ';'),
    ),
  );
  if (first?.text !== 'EXPLAIN') return first === undefined || first.text === ';' ? null : first;
  let at = 0;
  for (;;) {
    const isParenthesis = rest[at]?.text === '(' && explainOptions.has(rest[at + 1]?.text ?? '');
    if (isParenthesis) at = rest.findIndex(({ text }, index) => index > at && text === ')') + 1 || rest.length;
    else if (explainOptions.has(rest[at]?.text ?? '')) at++;
    else return rest[at] ?? null;
  }
}

/** Whether anything follows a semicolon. */
export function isSeveral(words: readonly Word[]): boolean {
  const begun = words.findIndex(({ text }) => text !== ';');
  const end = words.findIndex(({ text }, index) => index > begun && text === ';');
  return begun >= 0 && end >= 0 && words.slice(end).some(({ text }) => text !== ';');
}
