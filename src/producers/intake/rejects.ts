// Bad pieces set aside: a file with a line of JSON for each, holding what is wrong and the text itself, so that it can be
// corrected and appended again: jq -r .text.
import { closeSync, openSync, writeSync } from 'node:fs';
import { IcecoreError } from '../../../schemas/errors.ts';
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
