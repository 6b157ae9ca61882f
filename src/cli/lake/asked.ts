// A line of the input: a text for a clerk, or what keeps it from being one.
import { isUtf8 } from 'node:buffer';
import type { Piece } from '../../producers/intake/pieces.ts';

/** In bytes: far more than any instance with any plan takes, so that there is room for what else a line carries. */
export const longestLine = 4 * 2 ** 20;

export interface Asked {
  /** From 1, blank lines counted. */
  readonly line: number;
  /** Empty where there is a fault. */
  readonly text: string;
  /** Bytes of the input, its line break included. */
  readonly bytes: number;
  readonly fault: { readonly found: string; readonly allowed: string } | null;
}

/** What a byte order mark leaves blank is left out, like all that is blank. */
export function askedIn(pieces: readonly Piece[]): readonly Asked[] {
  return pieces.map(asked).filter(({ text, fault }) => text !== '' || fault !== null);
}

function asked(piece: Piece): Asked {
  const { line, bytes, size } = piece;
  const fault = faultOf(piece);
  return { line, text: fault === null ? withoutMark(bytes.toString('utf8')) : '', bytes: size + 1, fault };
}

function faultOf({ bytes, size, isTooLong }: Piece): Asked['fault'] {
  if (isTooLong) return { found: `${size} bytes`, allowed: `at most ${longestLine} bytes` };
  if (isUtf8(bytes)) return null;
  return { found: 'bytes that are no text in UTF-8', allowed: 'an instance in JSON' };
}

function withoutMark(text: string): string {
  if (!text.startsWith('\ufeff')) return text;
  const rest = text.slice(1);
  return /^[ \t\r]*$/.test(rest) ? '' : rest;
}
