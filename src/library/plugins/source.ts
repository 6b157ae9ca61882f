// The input of a command: a file or standard input, as bytes or line by line.
import { isUtf8 } from 'node:buffer';
import { createReadStream, fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { IcecoreError } from '../../../schemas/errors.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { type Piece, splitLines } from '../../producers/intake/pieces.ts';
import { refuseLedger } from '../place/files.ts';
import type { CommandContext } from './command.ts';

export interface Source {
  /** As a person would call it. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Null where it is not known beforehand. */
  readonly totalBytes: number | null;
  /** Lets go of it, whether or not it has come to its end. */
  close(): void;
}

type Reader = Pick<CommandContext, 'signal' | 'say'> & { readonly io: Pick<CommandContext['io'], 'cwd' | 'stdin'> };

/**
 * `ledgerFiles`: those of the ledger that is in use meanwhile. `noun` is what somebody may type who gives
 * neither a file nor a pipe.
 */
export async function openSource(
  context: Reader,
  file: string,
  ledgerFiles: readonly string[],
  noun: string,
): Promise<Source> {
  if (file === '-') return await standardInput(context, ledgerFiles, noun);
  const path = resolve(context.io.cwd, file);
  const stats = statSync(path);
  if (stats.isDirectory()) throw noFile(path);
  refuseLedger(stats, path, ledgerFiles);
  const stream = createReadStream(path);
  return {
    name: file,
    bytes: addAbortSignal(context.signal, stream),
    totalBytes: stats.isFile() ? stats.size : null,
    close: () => stream.destroy(),
  };
}

async function standardInput(context: Reader, ledgerFiles: readonly string[], noun: string): Promise<Source> {
  const { stdin } = context.io;
  if (stdin.isTTY === true) await context.say(`reading ${noun} from the terminal; Ctrl-D ends`);
  const { fd } = stdin as { fd?: number };
  const stats = fd === undefined ? null : fstatSync(fd);
  if (stats !== null) refuseLedger(stats, 'standard input', ledgerFiles);
  return {
    name: 'standard input',
    bytes: addAbortSignal(context.signal, stdin),
    totalBytes: stats?.isFile() === true ? stats.size : null,
    close: () => stdin.destroy(),
  };
}

function noFile(path: string): IcecoreError {
  return new IcecoreError('bad-input', `${path}: found a folder, allowed: a file`, { facts: { path } });
}

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

interface LineFault {
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
  return { field: line === 1 ? `column ${column}` : '', found: `${what}, which makes it no JSON`, allowed };
}
