// The running copies of an environment's program: one, as long as one is enough. While a stream is being read, its program
// answers nothing else, for a reader who is slow must not hold up others; then another copy is started, and kept.
import type { Fields, Program, Request } from './program.ts';

interface Copy {
  readonly program: Program;
  /** How many single requests it is answering. */
  asked: number;
  /** Whether it is held by one who needs it alone. */
  held: boolean;
}

export class Programs {
  readonly #start: () => Program;
  readonly #copies = new Set<Copy>();
  #closed: Error | undefined;
  #closing: Promise<unknown> | undefined;

  constructor(start: () => Program) {
    this.#start = start;
  }

  /** Asks for one reply; others may be asked of the same program meanwhile. `read` sees who gave it. */
  async ask<Result>(request: Request, read: (fields: Fields, program: Program) => Result): Promise<Result> {
    const copy = this.#find(({ held }) => !held);
    copy.asked += 1;
    try {
      return read(await copy.program.ask(request), copy.program);
    } finally {
      copy.asked -= 1;
    }
  }

  /** A program for the caller alone, until it is released. */
  hold(): Held {
    const copy = this.#find(({ held, asked }) => !held && asked === 0);
    copy.held = true;
    return {
      program: copy.program,
      release: () => {
        copy.held = false;
        copy.program.resume();
      },
    };
  }

  /** Ends all of them. What they are asked for fails for the reason given, and so does every later request. */
  close(reason: Error): Promise<void> {
    this.#closed ??= reason;
    this.#closing ??= Promise.all(Array.from(this.#copies, ({ program }) => program.close(reason)));
    return this.#closing.then(() => {});
  }

  #find(fits: (copy: Copy) => boolean): Copy {
    if (this.#closed !== undefined) throw this.#closed;
    for (const copy of this.#copies) if (copy.program.alive && fits(copy)) return copy;
    const copy = { program: this.#start(), asked: 0, held: false };
    this.#copies.add(copy);
    void copy.program.gone.then(() => this.#copies.delete(copy));
    return copy;
  }
}

export interface Held {
  readonly program: Program;
  release(): void;
}
