// Reads the input of a command, line by line.
import { isUtf8 } from 'node:buffer';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { type Piece, splitLines } from '../../producers/intake/pieces.ts';
import { openSource as openInput, type Source } from '../place/source.ts';
import type { CommandContext } from './command.ts';

export type { Source };

/** The input for the library: a file, or standard input for `-`. `noun` is what a user may type in a terminal. */
export async function inputOf(
  { io, say }: Pick<CommandContext, 'say'> & { readonly io: Pick<CommandContext['io'], 'stdin'> },
  file: string,
  noun: string,
) {
  if (file !== '-') return file;
  if (io.stdin.isTTY === true) await say(`reading ${noun} from the terminal; Ctrl-D ends`);
  return io.stdin;
}

/** Opens a file, or standard input for `-`. */
export async function openSource(context: CommandContext, file: string, noun: string): Promise<Source> {
  const { io, signal } = context;
  return openInput({ cwd: io.cwd, signal }, await inputOf(context, file, noun), []);
}

/** A line of an input. */
export interface InputLine {
  /** From 1, including blank lines. */
  readonly line: number;
  /** Empty if there is a fault. */
  readonly text: string;
  /** Bytes of the input, including the line break. */
  readonly bytes: number;
  /** Why it is not a text of an allowed length; null if it is one. */
  readonly fault: LineFault | null;
}

/** Why a line is invalid. */
export interface LineFault {
  readonly found: string;
  readonly allowed: string;
}

/** Batches of lines as they arrive, without blank lines. `longest`: in bytes; `noun`: what a line should be. */
export async function* inputLines(
  source: Pick<Source, 'bytes'>,
  longest: number,
  noun: string,
): AsyncGenerator<readonly InputLine[], void, undefined> {
  for await (const pieces of splitLines(source.bytes, longest)) {
    const lines = pieces.map((piece) => inputLine(piece, longest, noun));
    yield lines.filter(({ text, fault }) => text !== '' || fault !== null);
  }
}

function inputLine({ line, bytes, size, isTooLong }: Piece, longest: number, noun: string): InputLine {
  const fault = isTooLong
    ? { found: `${size} bytes`, allowed: `at most ${longest} bytes` }
    : isUtf8(bytes)
      ? null
      : { found: 'bytes that are not UTF-8', allowed: noun };
  return { line, text: fault === null ? withoutMark(bytes.toString('utf8')) : '', bytes: size + 1, fault };
}

/** A line with nothing but a byte order mark counts as blank. */
function withoutMark(text: string): string {
  if (!text.startsWith('\ufeff')) return text;
  const rest = text.slice(1);
  return /^[ \t\r]*$/.test(rest) ? '' : rest;
}

/** Why a line is not JSON. `field` is empty for the whole line. */
export function jsonFaultIn({ text, fault }: InputLine): LineFault & { readonly field: string } {
  if (fault !== null) return { field: '', ...fault };
  const { line, column, found, allowed, isTruncated } = findJsonFault(text);
  const what = isTruncated ? 'the end of the line' : found;
  return { field: line === 1 ? `column ${column}` : '', found: `${what} (invalid JSON)`, allowed };
}
