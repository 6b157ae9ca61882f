// The beginning of a piece whose end has not come yet. It holds what it is given up to a limit, and from there on counts.
import { keptOfTooLong, type Piece } from './piece.ts';

export class Unfinished {
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
