// What can go wrong with an environment that is a program: it cannot be started, it ends, it says nothing, it talks
// nonsense, it refuses. Each says which program, at what, and the last it had to say on its standard error.
import { describeIssue, type ErrorKind, IcecoreError, type Issue } from '../../../../schemas/errors.ts';

/** What is known of a program when something goes wrong with it. */
export interface Witness {
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
    super(kind, `the environment program ${witness.program} ${what}${words}`, {
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
      'The command is a list of words and no shell reads it: give the program by a path or a name on the PATH.',
    );
  }
}

/** How a program ended: one of both is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export class ProgramDied extends ProgramFault {
  override readonly name = 'ProgramDied';
  readonly exit: Exit;

  constructor(witness: Witness, exit: Exit, how = describeExit(exit)) {
    const what = `${how}${doing(witness)}`;
    super('unavailable', witness, what, { exit }, 'A program goes on answering until its standard input ends.');
    this.exit = exit;
  }
}

function describeExit({ code, signal }: Exit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function doing({ during }: Witness): string {
  return during.length === 0 ? '' : ` while it was asked to ${during.join(' and ')}`;
}

export class ProgramSilent extends ProgramFault {
  override readonly name = 'ProgramSilent';

  constructor(witness: Witness, limitMs: number) {
    const what = `said nothing for ${limitMs / 1000} s${doing(witness)}, and was stopped`;
    const remedy = 'If it needs longer, raise the time limit; if it prints, make it flush its output after every line.';
    super('unavailable', witness, what, { limitMs }, remedy);
  }
}

export class ProgramTalksNonsense extends ProgramFault {
  override readonly name = 'ProgramTalksNonsense';

  constructor(witness: Witness, what: string, said: string, issues: readonly Issue[] = []) {
    const excerpt = said.length > longestExcerpt ? `${said.slice(0, longestExcerpt)}…` : said;
    super(
      'bad-input',
      witness,
      `answered what is not allowed: ${what}`,
      { said: excerpt, ...(issues.length > 0 ? { issues } : {}) },
      'What may be said is in docs/environments.md; everything else belongs on the standard error.',
    );
  }
}

const longestExcerpt = 400;

/** The program describes itself in a way that cannot be meant. */
export class BadDescription extends IcecoreError {
  override readonly name = 'BadDescription';
  readonly issues: readonly Issue[];

  constructor(program: string, issues: readonly Issue[]) {
    const [first] = issues;
    const text = first === undefined ? 'it cannot be used' : describeIssue(first);
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super('bad-input', `the environment program ${program} describes itself wrongly: ${text}${more}`, {
      facts: { program, issues },
    });
    this.issues = issues;
  }
}

/** The program answered a request with an error of its own; it is alive and may be asked again. */
export class ProgramRefused extends IcecoreError {
  override readonly name = 'ProgramRefused';
  /** Its own words. */
  readonly says: string;
  /** What it found wrong with what it was handed, where it says so field by field. */
  readonly issues: unknown;

  constructor(program: string, request: string, says: string, issues: unknown) {
    super('bad-input', `the environment program ${program} refused to ${request}: ${says}`, {
      facts: { program, request, says, ...(issues === undefined ? {} : { issues }) },
    });
    this.says = says;
    this.issues = issues;
  }
}

/** The program does not understand a request that not every program has to understand. */
export class NotUnderstood extends IcecoreError {
  override readonly name = 'NotUnderstood';

  constructor(environment: string, request: string, understands: readonly string[]) {
    super('unsupported', `the environment ${environment} does not understand "${request}"`, {
      facts: { environment, request, understands },
      remedy: `A program that does says so when it is asked to describe itself: "understands": ["${request}"].`,
    });
  }
}
