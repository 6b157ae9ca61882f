// A program that this user allowed to run. Code that starts a program requires this type, so the compiler proves that
// only allowed programs start. The lab does not decide about consent: only the consent gate may import `allow.ts`.
import { basename } from 'node:path';
import { describeIssues, type ErrorKind, IcecoreError, type Issue } from '../../../schemas/errors.ts';

/** The program and its arguments, without a shell. */
export type CommandWords = readonly [string, ...string[]];

/** What a program is used for. */
export type ProgramRole = 'environment' | 'trainer' | 'engineer';

declare const consent: unique symbol;

export interface AllowedProgram {
  readonly command: CommandWords;
  /** Its working folder. */
  readonly folder: string;
  /** Its whole environment except for the variables that icecore sets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly [consent]: true;
}

/** Throws if the user has not allowed it. */
export type AllowProgram = (role: ProgramRole, command: CommandWords) => AllowedProgram;

// Names of programs: a readable command line for messages, and a short name for tables and arms.

const longestName = 120;

export function nameOf(command: readonly string[]): string {
  const name = command.map((word) => (/^[\w./:=@+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

/**
 * `python3 -S tools/easier.py --fast` is named easier.py-fast: a script with other arguments decides otherwise. Without a script,
 * the name is the program's own with its arguments, but without code such as that after `sh -c`.
 */
export function programName([program, ...words]: CommandWords): string {
  const at = words.findIndex((word) => !word.startsWith('-') && isScript(word));
  const given = at < 0 && words.some((word) => word === '-c' || word === '-e') ? [] : words.slice(at + 1);
  const file = basename((words[at] ?? program).replaceAll('\\', '/'));
  const parts = [file, ...given.map((word) => word.replace(/^-+/, ''))];
  const name = parts.map((part) => part.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')).filter((part) => part !== '');
  return name.join('-').slice(0, longestName) || 'program';
}

/** Judged by the file ending. Code after -c may also end like that, but contains blanks or brackets. */
export function isScript(word: string): boolean {
  return /^[^\s()'";]+\.(py|pyz|js|mjs|cjs|ts|mts|cts|sh|bash|rb|pl|r|jl|php|lua|jar|exs)$/i.test(word);
}

// Errors of programs: each says which program, during which request, and the last lines of its standard error.

/** The facts about a program for its errors. */
export interface Witness {
  /** Its role: environment, training. */
  readonly role: string;
  /** The command line, shortened. */
  readonly program: string;
  /** The pending requests: `generate`, `judge`. */
  readonly during: readonly string[];
  /** The last lines of its standard error. */
  readonly lastWords: readonly string[];
}

/** Where Python says that it failed, innermost; empty for others. */
function placeOf(lastWords: readonly string[]): string {
  const place = lastWords.findLast((line) => /^\s*File ".+", line \d+/.test(line));
  return place === undefined ? '' : ` (${place.trim()})`;
}

/** A fault that ends the program. All pending requests fail with it. */
export class ProgramFault extends IcecoreError {
  override readonly name: string = 'ProgramFault';

  constructor(kind: ErrorKind, witness: Witness, what: string, facts: Record<string, unknown>, remedy: string) {
    const last = witness.lastWords.at(-1);
    const words = last === undefined ? '' : `; its last words: ${last}${placeOf(witness.lastWords)}`;
    super(kind, `the ${witness.role} program ${witness.program} ${what}${words}`, {
      facts: { ...witness, ...facts },
      remedy,
    });
  }
}

export class ProgramNotStarted extends ProgramFault {
  override readonly name = 'ProgramNotStarted';

  constructor(witness: Witness, reason: string, code: string | undefined, remedy = wordsRemedy) {
    super(
      code === 'ENOENT' ? 'not-found' : 'unavailable',
      witness,
      `cannot be started: ${reason}`,
      { code: code ?? null },
      remedy,
    );
  }
}

const wordsRemedy =
  'The command is a list of words and runs without a shell: give the program as a path or a name on the PATH, and files as paths.';

/** How a program ended: one of the two is null. */
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

/** Truncated to fit into a message. */
export function excerpt(said: string): string {
  return said.length > longestExcerpt ? `${said.slice(0, longestExcerpt)}…` : said;
}

/** The issues of a reply, for a message. */
export function sentence(issues: readonly Issue[]): string {
  return describeIssues(issues, 'the reply');
}
