// From any input to pieces that hold one event each: lines where an event stands on each (NDJSON), values where the input
// is a list or objects written over many lines. The beginning of the input tells which, and whether it is any of these.
import { openList, openObject } from './characters.ts';
import { refusePacked } from './foreign.ts';
import { splitLines } from './lines.ts';
import { isSpace, newline, type Piece, skipBlankLines } from './piece.ts';
import { splitValues } from './values.ts';

/** Throws ForeignInput where the input is packed. */
export async function* pieces(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Piece[]> {
  const chunks = source[Symbol.asyncIterator]();
  const { head, isWhole, line } = await beginning(chunks, limit);
  if (line === 1) refusePacked(head);
  const withoutMark = head.subarray(startsWithMark(head) ? 3 : 0);
  const all = chain(withoutMark, chunks, isWhole);
  yield* spansLines(withoutMark) ? splitValues(all, limit, line) : splitLines(all, limit, line);
}

interface Beginning {
  /** The first line that is not blank, and what has come with it. */
  readonly head: Buffer;
  readonly isWhole: boolean;
  /** The line that the head begins at; those before it are blank. */
  readonly line: number;
}

/** Holds no more than the head, and looks at each byte once, however many blank lines come before it. */
async function beginning(chunks: AsyncIterator<Uint8Array>, limit: number): Promise<Beginning> {
  const held: Buffer[] = [];
  let size = 0;
  let line = 1;
  let isBlank = true;
  while (size <= limit) {
    const next = await chunks.next();
    if (next.done === true) return { head: Buffer.concat(held), isWhole: true, line };
    let chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    if (isBlank) {
      const { at, lines } = skipBlankLines(chunk, 0);
      line += lines;
      if (lines > 0) {
        held.length = 0;
        size = 0;
      }
      chunk = chunk.subarray(at);
      isBlank = chunk.every(isSpace);
    }
    held.push(chunk);
    size += chunk.length;
    if (!isBlank && firstLine(chunk, size > chunk.length) !== null) break;
  }
  return { head: Buffer.concat(held), isWhole: false, line };
}

async function* chain(
  head: Buffer,
  rest: AsyncIterator<Uint8Array>,
  isWhole: boolean,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield head;
    if (isWhole) return;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The first line that is not blank, once its end is there; of a chunk that goes on with a line, the rest of that line. */
function firstLine(head: Buffer, goesOnWithLine = false): Buffer | null {
  const start = goesOnWithLine ? 0 : head.findIndex((byte) => !isSpace(byte));
  const end = start < 0 ? -1 : head.indexOf(newline, start);
  return end < 0 ? null : head.subarray(start, end);
}

/** A byte order mark of UTF-8, as some editors write. */
function startsWithMark(head: Buffer): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}

/** A list, or an object that goes on behind its first line: `{` alone, or a line that ends in the middle of things. */
function spansLines(head: Buffer): boolean {
  const start = head.findIndex((byte) => !isSpace(byte));
  if (start < 0) return false;
  if (head[start] === openList) return true;
  const line = firstLine(head);
  return line !== null && head[start] === openObject && goesOn.test(line.subarray(-80).toString('latin1'));
}

const goesOn = /[{[,]\s*$/;
