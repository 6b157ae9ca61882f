// Splits any input into pieces with one event each: lines (NDJSON), or values of a list or of objects written over
// several lines. The start of the input determines which.
import { isUtf8 } from 'node:buffer';
import type { Remedies } from '../../../schemas/errors.ts';
import { ForeignInput, type PiecePlace } from './faults.ts';

/** Throws ForeignInput for a compressed or binary input. */
export async function* pieces(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Piece[]> {
  const chunks = source[Symbol.asyncIterator]();
  const { head, isWhole, line } = await beginning(chunks, limit);
  if (line === 1) refusePacked(head);
  const withoutMark = head.subarray(startsWithMark(head) ? 3 : 0);
  const all = chain(withoutMark, chunks, isWhole);
  yield* spansLines(withoutMark) ? splitValues(all, limit, line) : splitLines(all, limit, line);
}

interface Beginning {
  /** The first non-blank line, and what has arrived with it. */
  readonly head: Buffer;
  readonly isWhole: boolean;
  /** The line number of the head; earlier lines are blank. */
  readonly line: number;
}

/** Keeps only the head, and looks at each byte once, however many blank lines precede it. */
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

/**
 * The first non-blank line, once it is complete; `goesOnWithLine` means that the chunk starts in the middle of a line.
 */
function firstLine(head: Buffer, goesOnWithLine = false): Buffer | null {
  const start = goesOnWithLine ? 0 : head.findIndex((byte) => !isSpace(byte));
  const end = start < 0 ? -1 : head.indexOf(newline, start);
  return end < 0 ? null : head.subarray(start, end);
}

/** A UTF-8 byte order mark, as some editors write. */
function startsWithMark(head: Buffer): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}

/**
 * A list, or an object that continues after its first line: `{` alone, or a line that ends in the middle of a value.
 */
function spansLines(head: Buffer): boolean {
  const start = head.findIndex((byte) => !isSpace(byte));
  if (start < 0) return false;
  if (head[start] === openList) return true;
  const line = firstLine(head);
  return line !== null && head[start] === openObject && goesOn.test(line.subarray(-80).toString('latin1'));
}

const goesOn = /[{[,]\s*$/;

// Inputs that cannot contain events, recognised by their first bytes: correcting a line does not help.

const packings: readonly (readonly [name: string, magic: Buffer, remedy: string])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b]), unpacked('zcat')],
  ['Zstandard', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpacked('zstdcat')],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), unpacked('xzcat')],
  ['bzip2', Buffer.from('BZh'), unpacked('bzcat')],
  ['a ZIP archive', Buffer.from('PK\u0003\u0004'), unpacked('unzip -p')],
  [
    'an SQLite database',
    Buffer.from('SQLite format 3\0'),
    'Where it is a ledger, send what it holds: icecore event tail -n 1000 --json --ledger sqlite:FILE | icecore event append',
  ],
];

function unpacked(command: string): string {
  return `Unpack it on the way: ${command} FILE | icecore event append`;
}

/** Throws ForeignInput if the first bytes show a compressed or binary format. */
function refusePacked(head: Buffer): void {
  for (const [name, magic, remedy] of packings) {
    if (head.subarray(0, magic.length).equals(magic)) throw new ForeignInput(name, remedy);
  }
}

/** Advice for an input whose first line does not even look like JSON; null if correcting the line is enough. */
export function adviceOn({ line, bytes }: Piece): Remedies | null {
  if (line > 1 || bytes[0] === openObject || bytes[0] === openList) return null;
  const what = 'one JSON object per line, or a list of them';
  if (!isUtf8(bytes) || bytes.includes(0)) return { remedy: `This looks like a binary file: use a file with ${what}.` };
  if (table.test(bytes.toString('utf8')))
    return { remedy: `This looks like a table: write each row as an event, ${what}.` };
  const remedy = `The input must be ${what}.`;
  return { remedy, commandRemedy: `${remedy} If it contains other lines, --rejects FILE sets them aside.` };
}

/** Names with separators between them, without spaces after the separators. */
const table = /[^\s,;][,;\t][^\s,;]/;

// Splits JSON documents into their objects without reading everything: the elements of a list, or consecutive objects
// over several lines. It follows only brackets and quotes; JSON is parsed later. Anything else between objects, except
// spaces, commas and the list's brackets, becomes a piece too, which will be refused.

/** The objects of the input, several at a time. */
async function* splitValues(source: AsyncIterable<Uint8Array>, limit: number, firstLine = 1): AsyncGenerator<Piece[]> {
  const values = new Values(limit, firstLine);
  for await (const chunk of source) {
    const pieces = values.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (pieces.length > 0) yield pieces;
  }
  const last = values.end();
  if (last !== null) yield [last];
}

class Values {
  readonly #value: Unfinished;
  #within: 'nothing' | 'object' | 'something else' = 'nothing';
  #isListOpen = false;
  #elements = 0;
  #line: number;
  #beganAt: number;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(limit: number, firstLine: number) {
    this.#value = new Unfinished(limit);
    this.#line = firstLine;
    this.#beganAt = firstLine;
  }

  take(bytes: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (this.#within === 'object') {
        if (this.#endsObject(byte)) pieces.push(this.#finish(bytes.subarray(from, i + 1)));
      } else {
        if (this.#within === 'something else' && separates(byte)) pieces.push(this.#finish(bytes.subarray(from, i)));
        if (this.#within === 'nothing' && this.#begins(byte)) from = i;
      }
      if (byte === newline) this.#line++;
    }
    if (this.#within !== 'nothing') this.#value.add(bytes.subarray(from));
    return pieces;
  }

  /** The rest at the end of the input: an incomplete object, or a list without its end. */
  end(): Piece | null {
    if (this.#within === 'nothing' && !this.#isListOpen) return null;
    const line = this.#within === 'nothing' ? this.#line : this.#beganAt;
    return this.#value.finish(Buffer.alloc(0), line, false);
  }

  #begins(byte: number): boolean {
    if (isSpace(byte) || this.#isOfTheList(byte)) return false;
    this.#within = byte === openObject ? 'object' : 'something else';
    this.#beganAt = this.#line;
    this.#depth = 1;
    return true;
  }

  #isOfTheList(byte: number): boolean {
    if (this.#isListOpen) {
      if (byte === closeList) this.#isListOpen = false;
      return byte === closeList || byte === comma;
    }
    if (byte === openList) this.#isListOpen = true;
    return byte === openList;
  }

  #endsObject(byte: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInText = false;
      return false;
    }
    if (byte === quote) this.#isInText = true;
    else if (byte === openObject || byte === openList) this.#depth++;
    else if (byte === closeObject || byte === closeList) this.#depth--;
    return this.#depth === 0;
  }

  #finish(part: Buffer): Piece {
    this.#within = 'nothing';
    const piece = this.#value.finish(part, this.#beganAt, true);
    if (!this.#isListOpen) return piece;
    this.#elements++;
    return { ...piece, element: this.#elements };
  }
}

function separates(byte: number): boolean {
  return byte === openObject || byte === comma || byte === closeList || byte === newline;
}

// Splits bytes into lines, keeping at most one line up to a limit: memory use is constant for any input.

/** The lines of the input, several at a time; blank ones are skipped, but counted. */
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

// The start of an incomplete piece. It is stored up to a limit, and only counted beyond it.

class Unfinished {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(part: Buffer): void {
    const wasTooLong = this.#size > this.#limit;
    this.#size += part.length;
    if (part.length === 0 || wasTooLong) return;
    this.#parts.push(part);
    if (this.#size > this.#limit) this.#parts = [Buffer.from(this.#joined().subarray(0, keptOfTooLong))];
  }

  finish(part: Buffer, line: number, isEnded: boolean): Piece {
    this.add(part);
    const piece = { line, bytes: this.#joined(), size: this.#size, isTooLong: this.#size > this.#limit, isEnded };
    this.#parts = [];
    this.#size = 0;
    return piece;
  }

  #joined(): Buffer {
    return this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
  }
}

// A piece of an input that should contain one event: a line, or a value of a JSON document.

export interface Piece extends PiecePlace {
  /** Its bytes; only the start if it exceeds the limit. */
  readonly bytes: Buffer;
  /** Its size in the input in bytes. */
  readonly size: number;
  /** It exceeds the limit, so not all of it is kept; or it was rejected before, when only a part was kept. */
  readonly isTooLong: boolean;
  /** It ended properly: false for a last line without a line break and for an incomplete value. */
  readonly isEnded: boolean;
}

/** The kept part of a piece that exceeds the limit, to show what it was. */
const keptOfTooLong = 4096;

const newline = 0x0a;

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === newline;
}

/** Byte by byte: for a file of empty lines, a search and a buffer per line would take minutes. */
function skipBlankLines(bytes: Buffer, from: number): { readonly at: number; readonly lines: number } {
  let at = from;
  let lines = 0;
  for (let i = from; i < bytes.length && isSpace(bytes[i] as number); i++) {
    if (bytes[i] !== newline) continue;
    at = i + 1;
    lines++;
  }
  return { at, lines };
}

function pieceOf(bytes: Buffer, line: number, limit: number): Piece {
  const isTooLong = bytes.length > limit;
  // A copy releases the rest.
  const held = isTooLong ? Buffer.from(bytes.subarray(0, keptOfTooLong)) : bytes;
  return { line, bytes: held, size: bytes.length, isTooLong, isEnded: true };
}

// The characters of JSON syntax, equal as bytes and as UTF-16 units.

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The text of a piece for the rejects file: whole for a line with an event, otherwise only the start. */
export function textOf(piece: Piece): { text: string; isWhole: boolean } {
  const isWhole = !piece.isTooLong && isUtf8(piece.bytes);
  const bytes = isWhole ? piece.bytes : piece.bytes.subarray(0, keptOfTooLong);
  return { text: bytes.toString('utf8'), isWhole };
}
