// A program that this user allowed to run. Whatever starts a program takes one of these, so the compiler proves that no
// program starts that nobody allowed. The lab does not know how consent is given: `allow.ts` may be imported only where
// that is decided.

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
