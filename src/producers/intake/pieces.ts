// From any input to pieces that hold one event each: lines where an event stands on each (NDJSON), values where the input
// is a list or objects written over many lines. The beginning of the input tells which, and whether it is any of these.
import { openList, openObject } from './characters.ts';
import { refusePacked } from './foreign.ts';
import { splitLines } from './lines.ts';
import { isSpace, newline, type Piece } from './piece.ts';
import { splitValues } from './values.ts';

/** Throws ForeignInput where the input is packed. */
export async function* pieces(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Piece[]> {
  const chunks = source[Symbol.asyncIterator]();
  const { head, isWhole } = await beginning(chunks, limit);
  refusePacked(head);
  const withoutMark = head.subarray(startsWithMark(head) ? 3 : 0);
  const all = chain(withoutMark, chunks, isWhole);
  yield* spansLines(withoutMark) ? splitValues(all, limit) : splitLines(all, limit);
}

/** The input up to the end of its first line that is not blank. */
async function beginning(
  chunks: AsyncIterator<Uint8Array>,
  limit: number,
): Promise<{ head: Buffer; isWhole: boolean }> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length <= limit && firstLine(head) === null) {
    const next = await chunks.next();
    if (next.done === true) return { head, isWhole: true };
    head = Buffer.concat([head, next.value]);
  }
  return { head, isWhole: false };
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

/** The first line that is not blank, once its end is there. */
function firstLine(head: Buffer): Buffer | null {
  const start = head.findIndex((byte) => !isSpace(byte));
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
