// Where one statement ends and the next begins in what was typed, in the lexical rules of DuckDB. DuckDB's own parser is
// not asked: it cannot tell an unfinished statement from a wrong one, and it is not loaded before the first question.

/** What a line break stands in: `'` a string, `"` a name, `$` a dollar quote, `*` a comment, and a blank for none of them. */
export type Mark = "'" | '"' | '$' | '*' | ' ';

/** A statement of SQL with its semicolon, or a command of the prompt's own: a line such as `.tables`. */
export interface Piece {
  readonly kind: 'statement' | 'command';
  readonly text: string;
}

export interface Reading {
  readonly pieces: readonly Piece[];
  /** What was begun after the last piece and is not ended; empty where nothing but blanks and comments is. */
  readonly rest: string;
  /** What each line but the first begins within. */
  readonly marks: readonly Mark[];
}

const tokens: readonly (readonly [mark: Mark, pattern: RegExp])[] = [
  [' ', /--[^\n]*/y],
  ["'", /[eE]'[^'\\]*(?:(?:''|\\[\s\S])[^'\\]*)*(?:'|\\?$)/y],
  ["'", /'[^']*(?:''[^']*)*(?:'|$)/y],
  ['"', /"[^"]*(?:""[^"]*)*(?:"|$)/y],
  [' ', /[\w\u0080-\uffff][\w$\u0080-\uffff]*/y],
  [' ', /\s+/y],
];

const comment = /\/\*|\*\//g;
const dollarTag = /\$(?:[a-zA-Z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const commandLine = /[.\\][^\n]*|(?:exit|quit|help)[ \t]*;?[ \t]*(?=\n|$)/iy;
const blank = /^(?:\s|--)/;

interface Token {
  readonly mark: Mark;
  readonly end: number;
  /** It goes on beyond the end of the text. */
  readonly isOpen: boolean;
}

export function read(text: string): Reading {
  const pieces: Piece[] = [];
  const marks: Mark[] = [];
  let start = 0;
  let hasBegun = false;
  let isOpen = false;
  for (let at = 0; at < text.length; ) {
    const command = hasBegun ? null : matched(commandLine, text, at);
    if (command !== null) {
      pieces.push({ kind: 'command', text: command.trim() });
      at += command.length;
      start = at;
      continue;
    }
    const token = tokenAt(text, at);
    const said = text.slice(at, token.end);
    for (const character of said) if (character === '\n') marks.push(token.mark);
    isOpen = token.isOpen;
    if (said === ';') {
      if (hasBegun) pieces.push({ kind: 'statement', text: text.slice(start, token.end).trim() });
      start = token.end;
      hasBegun = false;
    } else if (token.mark !== '*' && !blank.test(said)) {
      hasBegun = true;
    }
    at = token.end;
  }
  return { pieces, rest: hasBegun || isOpen ? text.slice(start).trim() : '', marks };
}

function tokenAt(text: string, at: number): Token {
  if (text.startsWith('/*', at)) return commentAt(text, at);
  const tag = matched(dollarTag, text, at);
  if (tag !== null) return dollarQuoteAt(text, at, tag);
  for (const [mark, pattern] of tokens) {
    const said = matched(pattern, text, at);
    if (said !== null) return { mark, end: at + said.length, isOpen: mark !== ' ' && !isClosed(said, mark) };
  }
  return { mark: ' ', end: at + 1, isOpen: false };
}

/** Comments hold comments. */
function commentAt(text: string, at: number): Token {
  let depth = 0;
  comment.lastIndex = at;
  for (let found = comment.exec(text); found !== null; found = comment.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return { mark: '*', end: comment.lastIndex, isOpen: false };
  }
  return { mark: '*', end: text.length, isOpen: true };
}

function dollarQuoteAt(text: string, at: number, tag: string): Token {
  const closing = text.indexOf(tag, at + tag.length);
  if (closing < 0) return { mark: '$', end: text.length, isOpen: true };
  return { mark: '$', end: closing + tag.length, isOpen: false };
}

/** The pattern takes a quote that closes wherever there is one, so that only an open text can end without. */
function isClosed(said: string, mark: Mark): boolean {
  const opening = said.indexOf(mark) + 1;
  const within = said.slice(opening).replaceAll(mark + mark, '');
  if (opening === 1) return within.endsWith(mark);
  return /(?:^|[^\\])(?:\\\\)*'$/.test(within);
}

function matched(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
