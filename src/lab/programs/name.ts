// What a program is called: a command line for a message, readable and not too long; and a name for tables and arms.
import { basename } from 'node:path';

const longestName = 120;

export function nameOf(command: readonly string[]): string {
  const name = command.map((word) => (/^[\w./:=@+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

/** `python3 -S tools/easier.py --fast` is called easier.py; without a script, a program is called by its own name. */
export function programName([program, ...words]: readonly [string, ...string[]]): string {
  const script = words.find((word) => !word.startsWith('-') && isScript(word)) ?? program;
  const name = basename(script.replaceAll('\\', '/')).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  return name.slice(0, longestName) || 'program';
}

/** By its ending. Code after -c may end in anything: it has blanks or brackets. */
export function isScript(word: string): boolean {
  return /^[^\s()'";]+\.(py|pyz|js|mjs|cjs|ts|mts|cts|sh|bash|rb|pl|r|jl|php|lua|jar|exs)$/i.test(word);
}
