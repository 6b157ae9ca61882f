// What can go wrong with any program: each error says which program, at what, and the last it had to say on its standard
// error.
import { type ErrorKind, IcecoreError, type Issue } from '../../../schemas/errors.ts';

/** What is known of a program when something goes wrong with it. */
export interface Witness {
  /** What kind of program it is: environment, training. */
  readonly role: string;
  /** The command line, shortened. */
  readonly program: string;
  /** What it was asked to do: `generate`, `judge`. */
  readonly during: readonly string[];
  /** The last lines of its standard error. */
  readonly lastWords: readonly string[];
}

/** A fault that ends the program. Whatever else it was asked for has the same fault. */
export class ProgramFault extends IcecoreError {
  override readonly name: string = 'ProgramFault';

  constructor(kind: ErrorKind, witness: Witness, what: string, facts: Record<string, unknown>, remedy: string) {
    const last = witness.lastWords.at(-1);
    const words = last === undefined ? '' : `; its last words: ${last}`;
    super(kind, `the ${witness.role} program ${witness.program} ${what}${words}`, {
      facts: { ...witness, ...facts },
      remedy,
    });
  }
}

export class ProgramNotStarted extends ProgramFault {
  override readonly name = 'ProgramNotStarted';

  constructor(witness: Witness, reason: string, code: string | undefined) {
    super(
      code === 'ENOENT' ? 'not-found' : 'unavailable',
      witness,
      `cannot be started: ${reason}`,
      { code: code ?? null },
      'The command is a list of words and no shell reads it: give the program by a path or a name on the PATH, and files by their paths.',
    );
  }
}

/** How a program ended: one of both is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

export function doing({ during }: Witness): string {
  return during.length === 0 ? '' : ` while it was asked to ${during.join(' and ')}`;
}

const longestExcerpt = 400;

/** So much of what a program said as a message can hold. */
export function excerpt(said: string): string {
  return said.length > longestExcerpt ? `${said.slice(0, longestExcerpt)}…` : said;
}

/** The first of several things that are wrong, for a message. */
export function sentence([first, ...others]: readonly Issue[]): string {
  if (first === undefined) return '';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return `${first.field === '' ? 'the reply' : first.field}: found ${first.found}, allowed: ${first.allowed}${more}`;
}
