// Cuts a stream of bytes into lines, holding never more than one line and no line beyond a limit: an input of any size,
// with lines of any size, is read in constant memory.

import { isSpace, newline, type Piece, pieceOf, skipBlankLines } from './piece.ts';
import { Unfinished } from './unfinished.ts';

/** The lines of the input, several at a time; blank ones are left out, but counted. */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  firstLine = 1,
): AsyncGenerator<Piece[]> {
  const rest = new Unfinished(limit);
  let line = firstLine;
  const skip = (bytes: Buffer, from: number): number => {
    if (!rest.isEmpty) return from;
    const { at, lines } = skipBlankLines(bytes, from);
    line += lines;
    return at;
  };
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const pieces: Piece[] = [];
    let from = skip(bytes, 0);
    for (let end = bytes.indexOf(newline, from); end >= 0; end = bytes.indexOf(newline, from)) {
      const part = bytes.subarray(from, end);
      const piece = rest.isEmpty ? pieceOf(part, line, limit) : rest.finish(part, line, true);
      if (!isBlank(piece)) pieces.push(piece);
      line++;
      from = skip(bytes, end + 1);
    }
    rest.add(bytes.subarray(from));
    if (pieces.length > 0) yield pieces;
  }
  const last = rest.finish(Buffer.alloc(0), line, false);
  if (!isBlank(last)) yield [last];
}

function isBlank(piece: Piece): boolean {
  return !piece.isTooLong && piece.bytes.every(isSpace);
}
