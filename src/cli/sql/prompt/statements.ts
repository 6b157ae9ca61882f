// Splits the typed text into statements and commands. DuckDB's parser cannot do this: it does not distinguish an unfinished statement
// from a wrong one, and it is not loaded before the first query.
import { type Open, tokensOf } from '../../../base/sql-lexer.ts';

/** A statement of SQL with its semicolon, or a command of the prompt's own: a line such as `.tables`. */
export interface Piece {
  readonly kind: 'statement' | 'command';
  readonly text: string;
}

export interface Reading {
  readonly pieces: readonly Piece[];
  /** An unfinished statement after the last piece; empty if only blanks and comments follow. */
  readonly rest: string;
  /** What is open at the end of the text: a string, a comment, a parenthesis. */
  readonly open: Open;
}

const commandLine = /\s*([.\\][^\n]*|(?:exit|quit|help)[ \t]*;?[ \t]*(?=\n|$))/iy;

export function read(text: string): Reading {
  const pieces: Piece[] = [];
  for (let start = 0; ; ) {
    commandLine.lastIndex = start;
    const [line = '', command] = commandLine.exec(text) ?? [];
    if (command !== undefined) {
      pieces.push({ kind: 'command', text: command.trim() });
      start += line.length;
      continue;
    }
    const { end, hasBegun, open } = statementAt(text, start);
    if (end === null) return { pieces, rest: hasBegun || open !== ' ' ? text.slice(start).trim() : '', open };
    if (hasBegun) pieces.push({ kind: 'statement', text: text.slice(start, end).trim() });
    start = end;
  }
}

interface Statement {
  /** The place after its semicolon; null if it has none. */
  readonly end: number | null;
  /** It has more than blanks and comments. */
  readonly hasBegun: boolean;
  readonly open: Open;
}

function statementAt(text: string, start: number): Statement {
  let hasBegun = false;
  let open: Open = ' ';
  for (const token of tokensOf(text, start)) {
    open = token.open;
    if (token.kind === 'sign' && text[token.from] === ';') return { end: token.to, hasBegun, open };
    hasBegun ||= token.kind !== 'skipped' && token.kind !== 'comment';
    // A command may follow comments.
    if (!hasBegun && isBeforeCommand(text, token.to)) return { end: token.to, hasBegun, open };
  }
  return { end: null, hasBegun, open };
}

function isBeforeCommand(text: string, at: number): boolean {
  commandLine.lastIndex = at;
  return commandLine.test(text);
}
