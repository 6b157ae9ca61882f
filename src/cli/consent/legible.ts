// A stranger's text in a question. All of it can be seen, none of it is pushed out of sight, and no line that a terminal
// shows of it begins where icecore's own lines begin.

import { escaped, visible } from '../../base/visible.ts';
import type { Sink } from '../io.ts';

/** What has no ink or joins what has, every blank but the plain one, and what no font has to know. */
const inkless = /[\p{Default_Ignorable_Code_Point}\p{Zs}\p{Co}\p{Cn}\u2800]/gu;

const blanks = / {3,}/g;
const sameEscape = /(\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\}))\1{3,}/g;

/** On one line: runs of blanks and of one escape are counted instead of shown. Legible text stays as it is. */
export function legible(text: string): string {
  return visible(text.replace(inkless, (letter) => (letter === ' ' ? letter : escaped(letter))))
    .replace(blanks, (run) => `[${run.length} blanks]`)
    .replace(sameEscape, (run, one: string) => `${one}[${run.length / one.length} times]`);
}

/** What is asked for, below what it is of. */
export interface Question {
  /** In icecore's words, though it may name a stranger's path. */
  readonly heading: string | null;
  readonly requests: readonly string[];
}

const indent = '  ';
const furtherIndent = '      ';

export function linesOfQuestion(
  asked: readonly Question[],
  { isTTY, columns }: Pick<Sink, 'isTTY' | 'columns'>,
): string[] {
  const width = isTTY ? columns : Number.POSITIVE_INFINITY;
  return asked.flatMap(({ heading, requests }) => [
    ...(heading === null ? [] : inset(heading, '', width)),
    ...requests.flatMap((request) => inset(request, indent, width)),
  ]);
}

/** Where a request takes more lines than this, its beginning may have scrolled away. */
const mostLines = 3;
const mostBeginnings = 5;

/** For the lines right above the question: how each long request begins. */
export function beginnings(asked: readonly Question[], { columns }: Pick<Sink, 'columns'>): string[] {
  const requests = asked.flatMap((one) => one.requests);
  const long = requests.filter((request) => inset(request, indent, columns).length > mostLines);
  if (long.length === 0) return [];
  const shown = long.slice(0, mostBeginnings).map((request) => {
    const [first = ''] = inset(request, indent, columns - 4);
    return `${first}...`;
  });
  const more = long.length > shown.length ? [`${indent}and ${long.length - shown.length} more`] : [];
  return ['What takes many lines above begins with:', ...shown, ...more];
}

/** Broken where the line is full, and not between words: a stranger chooses where those are. */
function inset(text: string, first: string, columns: number): string[] {
  const width = Math.max(columns, 24) - 1;
  const lines: string[] = [];
  let line = first;
  let room = width - first.length;
  for (const letter of legible(text)) {
    // Terminals differ in how wide they show what is not ASCII.
    const wide = letter < '\u0080' ? 1 : 2;
    if (room < wide) {
      lines.push(line);
      line = furtherIndent;
      room = width - furtherIndent.length;
    }
    line += letter;
    room -= wide;
  }
  return [...lines, line];
}
