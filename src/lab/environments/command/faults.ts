// Errors of a running environment program: it ends, hangs, sends invalid messages or refuses a request.
import { describeIssues, IcecoreError, type Issue } from '../../../../schemas/errors.ts';
import { describeExit, doing, type Exit, excerpt, ProgramFault, type Witness } from '../../programs/program.ts';

export class ProgramDied extends ProgramFault {
  override readonly name = 'ProgramDied';
  readonly exit: Exit;

  constructor(witness: Witness, exit: Exit, how = describeExit(exit)) {
    const what = `${how}${doing(witness)}`;
    const remedy =
      exit.code === 0
        ? 'A program must keep answering until its standard input ends.'
        : 'Mend the program and try again; with --json the error has the last lines of its standard error.';
    super('unavailable', witness, what, { exit }, remedy);
    this.exit = exit;
  }
}

export class ProgramSilent extends ProgramFault {
  override readonly name = 'ProgramSilent';

  constructor(witness: Witness, limitMs: number) {
    const what = `said nothing for ${limitMs / 1000} s${doing(witness)}, and was stopped`;
    const flush = 'the program must flush its output after every line';
    const remedy = witness.during.some((request) => streamed.includes(request))
      ? `A stream of replies must end with a line that has "done": true, and ${flush}. It must print at least one line in that time.`
      : `It must answer in that time, and ${flush}.`;
    super('unavailable', witness, what, { limitMs }, remedy);
  }
}

/** The requests that are answered by several lines. */
const streamed: readonly string[] = ['generate', 'probe', 'suite', 'judge', 'rollout'];

export class InvalidReply extends ProgramFault {
  override readonly name = 'InvalidReply';

  constructor(witness: Witness, what: string, said: string, issues: readonly Issue[] = []) {
    super(
      'bad-input',
      witness,
      `sent an invalid reply: ${what}`,
      { said: excerpt(said), ...(issues.length > 0 ? { issues } : {}) },
      'docs/environments.md has the allowed replies; print everything else to standard error.',
    );
  }
}

/** The program's description of itself is invalid. */
export class BadDescription extends IcecoreError {
  override readonly name = 'BadDescription';
  readonly issues: readonly Issue[];

  constructor(program: string, issues: readonly Issue[]) {
    super('bad-input', `the environment program ${program} has an invalid description: ${describeIssues(issues)}`, {
      facts: { program, issues },
    });
    this.issues = issues;
  }
}

/** The program answered a request with an error of its own; it is alive and can be asked again. */
export class ProgramRefused extends IcecoreError {
  override readonly name = 'ProgramRefused';
  /** The program's message. */
  readonly says: string;
  /** Its issues with the input, if it reported them field by field. */
  readonly issues: unknown;

  constructor(program: string, request: string, says: string, issues: unknown) {
    super('bad-input', `the environment program ${program} refused to ${request}: ${says}`, {
      facts: { program, request, says, ...(issues === undefined ? {} : { issues }) },
    });
    this.says = says;
    this.issues = issues;
  }
}

/** The program does not support an optional request. */
export class NotUnderstood extends IcecoreError {
  override readonly name = 'NotUnderstood';

  constructor(environment: string, request: string, understands: readonly string[]) {
    super('unsupported', `the environment ${environment} does not support "${request}"`, {
      facts: { environment, request, understands },
      remedy: `A program that supports it declares that in its description: "understands": ["${request}"].`,
    });
  }
}
