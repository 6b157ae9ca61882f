// The input of a command, line by line.
import { isUtf8 } from 'node:buffer';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { type Piece, splitLines } from '../../producers/intake/pieces.ts';
import { openSource as openInput, type Source } from '../place/source.ts';
import type { CommandContext } from './command.ts';

export type { Source };

/** What the library reads from: a file by its name, or standard input for `-`. `noun` is what somebody at a terminal may type. */
export async function inputOf(
  { io, say }: Pick<CommandContext, 'say'> & { readonly io: Pick<CommandContext['io'], 'stdin'> },
  file: string,
  noun: string,
) {
  if (file !== '-') return file;
  if (io.stdin.isTTY === true) await say(`reading ${noun} from the terminal; Ctrl-D ends`);
  return io.stdin;
}

/** Opens a file by its name, or standard input for `-`. */
export async function openSource(context: CommandContext, file: string, noun: string): Promise<Source> {
  const { io, signal } = context;
  return openInput({ cwd: io.cwd, signal }, await inputOf(context, file, noun), []);
}

/** A line of an input. */
export interface InputLine {
  /** From 1, blank lines counted. */
  readonly line: number;
  /** Empty where there is a fault. */
  readonly text: string;
  /** Bytes of the input, its line break included. */
  readonly bytes: number;
  /** Why it is no text of an allowed length; null where it is one. */
  readonly fault: LineFault | null;
}

/** Why a line is not what it must be. */
export interface LineFault {
  readonly found: string;
  readonly allowed: string;
}

/** Several at a time, as they come, without blank lines. `longest`: in bytes; `noun`: what a line is to be. */
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
      : { found: 'bytes that are no text in UTF-8', allowed: noun };
  return { line, text: fault === null ? withoutMark(bytes.toString('utf8')) : '', bytes: size + 1, fault };
}

/** What a byte order mark leaves blank is left out, like all that is blank. */
function withoutMark(text: string): string {
  if (!text.startsWith('\ufeff')) return text;
  const rest = text.slice(1);
  return /^[ \t\r]*$/.test(rest) ? '' : rest;
}

/** Why a line is no JSON. `field` is empty for the line as a whole. */
export function jsonFaultIn({ text, fault }: InputLine): LineFault & { readonly field: string } {
  if (fault !== null) return { field: '', ...fault };
  const { line, column, found, allowed, isTruncated } = findJsonFault(text);
  const what = isTruncated ? 'the end of the line' : found;
  return { field: line === 1 ? `column ${column}` : '', found: `${what} (invalid JSON)`, allowed };
}
