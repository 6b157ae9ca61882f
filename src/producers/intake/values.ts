// Cuts JSON documents into the objects they hold, without reading the whole: the elements of a list, or objects written
// over many lines one after the other. It follows brackets and quotes only; whether an object is JSON is found out later.
// What stands between objects and is neither space, comma nor the list's brackets becomes a piece too, to be refused.
import { backslash, closeList, closeObject, comma, openList, openObject, quote } from './characters.ts';
import { isSpace, newline, type Piece } from './piece.ts';
import { Unfinished } from './unfinished.ts';

/** The objects of the input, several at a time. */
export async function* splitValues(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  firstLine = 1,
): AsyncGenerator<Piece[]> {
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

  /** What is left when the input ends: an object that breaks off, or a list without its end. */
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
    return this.#value.finish(part, this.#beganAt, true);
  }
}

function separates(byte: number): boolean {
  return byte === openObject || byte === comma || byte === closeList || byte === newline;
}
