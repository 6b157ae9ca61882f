// A piece of an input that should hold one event: a line, or a value of a JSON document.

export interface Piece {
  /** The line it begins at, from 1. */
  readonly line: number;
  /** Its bytes; only the beginning where it is longer than the limit. */
  readonly bytes: Buffer;
  /** How many bytes it has in the input. */
  readonly size: number;
  /** Longer than the limit, and therefore not held; or set aside once, when only a part of it was kept. */
  readonly isTooLong: boolean;
  /** It ended as it should: false for a last line without a line break, and for a value that breaks off. */
  readonly isEnded: boolean;
}

/** So much of a piece that is too long is kept, to show what it was. */
export const keptOfTooLong = 4096;

export const newline = 0x0a;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === newline;
}

/** Blank lines counted byte by byte: of a file of empty lines, a search and a buffer for each would take minutes. */
export function skipBlankLines(bytes: Buffer, from: number): { readonly at: number; readonly lines: number } {
  let at = from;
  let lines = 0;
  for (let i = from; i < bytes.length && isSpace(bytes[i] as number); i++) {
    if (bytes[i] !== newline) continue;
    at = i + 1;
    lines++;
  }
  return { at, lines };
}

export function pieceOf(bytes: Buffer, line: number, limit: number): Piece {
  const isTooLong = bytes.length > limit;
  // A copy lets go of the rest.
  const held = isTooLong ? Buffer.from(bytes.subarray(0, keptOfTooLong)) : bytes;
  return { line, bytes: held, size: bytes.length, isTooLong, isEnded: true };
}
