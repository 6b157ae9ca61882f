// Bad pieces set aside: a file with a line of JSON for each, holding what is wrong and the text itself. An intake takes
// such a file as it takes any other: what counts is the text, which may have been corrected there.
import { closeSync, openSync, writeSync } from 'node:fs';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { Piece } from './piece.ts';
import { textOf } from './reading.ts';
import type { Refused } from './window.ts';

export interface Rejected {
  readonly line: number;
  readonly error: Readonly<Record<string, unknown>>;
  readonly bytes: number;
  readonly text: string;
  /** False where `text` is only the beginning, or not what the bytes were. */
  readonly whole: boolean;
}

export function rejectedOf({ piece, fault }: Refused): Rejected {
  const { text, isWhole } = textOf(piece);
  return { line: piece.line, error: errorOf(fault), bytes: piece.size, text, whole: isWhole };
}

/** No event has such a field, and every piece is held against it: it must cost little. */
const opening = Buffer.from('{"line":');

/** A piece that was set aside as it was before that; any other as it is. */
export function asItWas(piece: Piece): Piece {
  const { bytes, line } = piece;
  if (bytes[2] !== opening[2] || !bytes.subarray(0, opening.length).equals(opening)) return piece;
  const rejected = rejectedIn(bytes);
  if (rejected === null) return piece;
  const text = Buffer.from(rejected.text);
  const isPart = rejected.whole === false;
  return { line, bytes: text, size: isPart ? rejected.bytes : text.length, isTooLong: isPart, isEnded: true };
}

function rejectedIn(bytes: Buffer): Rejected | null {
  try {
    const value = parseJson(bytes.toString('utf8')) as Rejected;
    const isText = typeof value.text === 'string' && typeof value.bytes === 'number';
    return isText && Object.keys(value).every((key) => fields.has(key)) ? value : null;
  } catch {
    return null;
  }
}

const fields: ReadonlySet<string> = new Set<keyof Rejected>(['line', 'error', 'bytes', 'text', 'whole']);

function errorOf(fault: IcecoreError): Record<string, unknown> {
  return { kind: fault.kind, message: fault.message, ...fault.facts };
}

export class RejectsFile {
  readonly #path: string;
  readonly #file: number;

  /** Made at once and emptied, so that what it holds in the end is of this intake. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'w');
  }

  add(refused: Refused): void {
    try {
      writeSync(this.#file, `${JSON.stringify(rejectedOf(refused))}\n`);
    } catch (cause) {
      throw new RejectsFailed(this.#path, cause);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

class RejectsFailed extends IcecoreError {
  override readonly name = 'RejectsFailed';

  constructor(path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super('storage', `${path}: rejected lines cannot be written (${why})`, {
      facts: { path },
      remedy: 'Free some space or name another file.',
      cause,
    });
  }
}
