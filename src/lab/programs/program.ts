// A program that this user allowed to run. Whatever starts a program takes one of these, so the compiler proves that no
// program starts that nobody allowed. The lab does not know how consent is given: `allow.ts` may be imported only where
// that is decided.
import { basename } from 'node:path';
import { type ErrorKind, IcecoreError, type Issue } from '../../../schemas/errors.ts';

/** The program and its arguments; no shell reads them. */
export type CommandWords = readonly [string, ...string[]];

/** What a program is started for. */
export type ProgramRole = 'environment' | 'trainer' | 'engineer';

declare const consent: unique symbol;

export interface AllowedProgram {
  readonly command: CommandWords;
  /** Its working folder. */
  readonly folder: string;
  /** Its whole environment, apart from the variables that icecore sets for it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly [consent]: true;
}

/** Throws where the user has not allowed it. */
export type AllowProgram = (role: ProgramRole, command: CommandWords) => AllowedProgram;

// What a program is called: a command line for a message, readable and not too long; and a name for tables and arms.

const longestName = 120;

export function nameOf(command: readonly string[]): string {
  const name = command.map((word) => (/^[\w./:=@+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

/** `python3 -S tools/easier.py --fast` is called easier.py; without a script, a program is called by its own name. */
export function programName([program, ...words]: readonly [string, ...string[]]): string {
  const script = words.find((word) => !word.startsWith('-') && isScript(word)) ?? program;
  const name = basename(script.replaceAll('\\', '/')).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  return name.slice(0, longestName) || 'program';
}

/** By its ending. Code after -c may end in anything: it has blanks or brackets. */
export function isScript(word: string): boolean {
  return /^[^\s()'";]+\.(py|pyz|js|mjs|cjs|ts|mts|cts|sh|bash|rb|pl|r|jl|php|lua|jar|exs)$/i.test(word);
}

// What can go wrong with any program: each error says which program, at what, and the last it had to say on its standard
// error.

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
      'Check the path. Programs start in this folder and without a shell: name them by a path or as the PATH has them.',
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
