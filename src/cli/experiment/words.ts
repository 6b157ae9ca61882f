// A program and its arguments, typed as one text: words with spaces between them, with quotes around what has spaces. No
// shell reads it: nothing is expanded, and nothing else is special.
import { IcecoreError } from '../../../schemas/errors.ts';

const word = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))(?=\s|$)/y;

/** Throws where a quote is not closed. */
export function wordsIn(text: string, field: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let at = 0;
  const end = text.trimEnd().length;
  while (at < end) {
    word.lastIndex = at;
    const found = word.exec(text);
    if (found === null) throw unreadable(text, field);
    const [, double, single, plain] = found;
    words.push(single ?? (double ?? plain ?? '').replaceAll(/\\(.)/g, '$1'));
    at = word.lastIndex;
  }
  const [first, ...others] = words;
  if (first === undefined) throw unreadable(text, field);
  return [first, ...others];
}

/** What has a space or a path in it is a program; one word may be a name. */
export function namesProgram(text: string): boolean {
  return /\s/.test(text.trim()) || /[/\\]/.test(text);
}

function unreadable(text: string, field: string): IcecoreError {
  return new IcecoreError('usage', `${field}: found "${text}", allowed: a name, or a program with its arguments`, {
    facts: { field, found: text },
    remedy: 'Close every quote: "python3 \'my program.py\' --fast".',
  });
}
