// One program that decides, from its start to its end: what it is told, what it prints, and how it ended.
import type { AllowedProgram } from '../../programs/allowed.ts';
import { Child, type End, whyNotStarted } from '../../programs/child.ts';
import { Silence } from '../../programs/silence.ts';

export interface Limits {
  /** How long a program may take to answer and end. */
  readonly timeoutMs: number;
  /** How long it may take to end once it is asked to. */
  readonly graceMs: number;
}

/** How it went with a program: it ended by itself, or it was ended for what it did. */
export interface Ran {
  readonly end: End | { readonly kind: 'late' } | { readonly kind: 'endless' };
  /** What it printed, as much as is read. */
  readonly printed: string;
  /** The last lines of its standard error. */
  readonly lastWords: readonly string[];
}

/** No proposal is longer, in bytes. */
export const mostPrinted = 2 ** 20;

export class Running {
  readonly #limits: Limits;
  readonly #over = Promise.withResolvers<Ran>();
  readonly #lines: string[] = [];
  readonly #silence: Silence;
  readonly #child: Child | undefined;
  #bytes = 0;
  #cause: Ran['end'] | undefined;

  constructor(program: AllowedProgram, limits: Limits, question: object) {
    this.#limits = limits;
    this.#silence = new Silence(() => this.#stop({ kind: 'late' }));
    const whole = { program, variables: {}, lineBytes: mostPrinted + 1, manner: 'reports' } as const;
    try {
      this.#child = new Child(whole, { line: (text) => this.#hear(text), end: (end) => this.#ended(end) });
    } catch (error) {
      const fault = error as NodeJS.ErrnoException;
      this.#ended({ kind: 'not-started', reason: whyNotStarted(fault, program), code: fault.code });
      return;
    }
    this.#silence.expect(limits.timeoutMs);
    this.#child.write(JSON.stringify(question));
    this.#child.endInput();
  }

  /** When it has ended, with all it started. */
  get over(): Promise<Ran> {
    return this.#over.promise;
  }

  /** Asks it to end, and makes it when it does not. */
  stop(): void {
    this.#silence.stop();
    this.#child?.terminate(this.#limits.graceMs);
  }

  #hear(text: string): void {
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#bytes <= mostPrinted + 1) this.#lines.push(text);
    else this.#stop({ kind: 'endless' });
  }

  #stop(cause: Ran['end']): void {
    this.#cause ??= cause;
    this.stop();
  }

  #ended(end: End): void {
    this.#silence.stop();
    const lastWords = this.#child?.lastWords ?? [];
    this.#over.resolve({ end: this.#cause ?? end, printed: this.#lines.join('\n'), lastWords });
  }
}
