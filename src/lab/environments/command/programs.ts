// The running copies of an environment's program: one, as long as one is enough. While a stream is being read, its program
// answers nothing else, for a reader who is slow must not hold up others; then another copy is started, and kept.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import type { Fields, Program, Request } from './program.ts';

interface Copy {
  readonly program: Program;
  /** How many single requests it is answering. */
  asked: number;
  /** Whether it is held by one who needs it alone. */
  held: boolean;
  /** Whether it was never asked anything but to describe itself. */
  fresh: boolean;
}

export class Programs {
  readonly #start: () => Program;
  readonly #copies = new Set<Copy>();
  #described: string | undefined;
  #closed: Error | undefined;
  #closing: Promise<unknown> | undefined;

  constructor(start: () => Program) {
    this.#start = start;
  }

  /** Starts the first of them, and has `read` look at how it describes itself. All others must do so in the same words. */
  async open<Result>(read: (fields: Fields, program: Program) => Result): Promise<Result> {
    const { program } = this.#add();
    const fields = await program.described;
    this.#described = canonicalJson(fields);
    return read(fields, program);
  }

  /** Asks for one reply; others may be asked of the same program meanwhile. `read` sees who gave it. */
  async ask<Result>(request: Request, read: (fields: Fields, program: Program) => Result): Promise<Result> {
    const copy = this.#find(({ held }) => !held);
    copy.fresh = false;
    copy.asked += 1;
    try {
      return read(await copy.program.ask(request), copy.program);
    } finally {
      copy.asked -= 1;
    }
  }

  /** A program for the caller alone, until it is released; where wanted, one that nobody had before. */
  hold(wanted: 'any' | 'fresh' = 'any'): Held {
    const copy = this.#find(({ held, asked, fresh }) => !held && asked === 0 && (fresh || wanted === 'any'));
    const { program, fresh } = copy;
    copy.fresh = false;
    copy.held = true;
    const release = (): void => {
      copy.held = false;
      program.resume();
    };
    return { program, fresh, release };
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
    return this.#add();
  }

  #add(): Copy {
    const program = this.#start();
    const copy = { program, asked: 0, held: false, fresh: true };
    this.#copies.add(copy);
    void program.gone.then(() => this.#copies.delete(copy));
    program.described.then(
      (fields) => this.#compare(fields, program),
      () => {},
    );
    return copy;
  }

  #compare(fields: Fields, program: Program): void {
    if (this.#described === undefined || this.#described === canonicalJson(fields)) return;
    void program.kill(program.nonsense('another description than when it was first started', fields));
  }
}

export interface Held {
  readonly program: Program;
  /** Whether nobody had it before. */
  readonly fresh: boolean;
  release(): void;
}
