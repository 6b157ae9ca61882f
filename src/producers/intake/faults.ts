// Errors of single pieces of an input, and errors that stop a whole intake.
import { describeIssues, IcecoreError, type Issue, type Remedies } from '../../../schemas/errors.ts';

/** A piece that does not contain a valid event. */
export class BadPiece extends IcecoreError {
  override readonly name = 'BadPiece';

  constructor(issues: readonly [Issue, ...Issue[]], remedies: Remedies = {}) {
    const [first] = issues;
    super('bad-input', describeIssues(issues), {
      facts: issues.length > 1 ? { ...first, issues } : { ...first },
      ...remedies,
    });
  }
}

export function badPiece(field: string, found: string, allowed: string, remedies?: Remedies): BadPiece {
  return new BadPiece([{ field, found, allowed }], remedies);
}

/** A piece that shows that the whole input is something else; its remedy explains what to do. */
export class ForeignPiece extends BadPiece {}

/** An input in which no piece can be an event. */
export class ForeignInput extends IcecoreError {
  override readonly name = 'ForeignInput';

  constructor(found: string, remedy: string) {
    super('bad-input', `the input is ${found}, not JSON`, {
      facts: { found, appended: 0, existed: 0, rejected: 0 },
      remedy,
    });
  }
}

/** A place within a piece that starts at this line of the input. */
export function placeOf(pieceLine: number, line: number, column: number): string {
  return line === 1 ? `column ${column}` : `line ${pieceLine + line - 1}, column ${column}`;
}

/** Where a piece is in the input. */
export interface PiecePlace {
  /** The line at which it starts, from 1. */
  readonly line: number;
  /** Its number in a list, from 1: a list may be on one line. */
  readonly element?: number;
}

export function nameOfPlace({ line, element }: PiecePlace): string {
  return element === undefined ? `line ${line}` : `line ${line}, event ${element}`;
}

/** What was done before an intake stopped. */
export interface SoFar {
  readonly appended: number;
  readonly existed: number;
  readonly rejected: number;
}

/** An intake that stopped early: at a bad line, at a conflict, by a failure of the store or on request. */
export class IntakeStopped extends IcecoreError {
  override readonly name = 'IntakeStopped';

  constructor(cause: IcecoreError, piece: PiecePlace | null, soFar: SoFar) {
    const { appended, existed, rejected } = soFar;
    const where = piece === null ? '' : `${nameOfPlace(piece)}: `;
    const { line, element } = piece ?? {};
    const place = { ...(line === undefined ? {} : { line }), ...(element === undefined ? {} : { element }) };
    super(cause.kind, `${where}${cause.message}; ${describe(soFar)}`, {
      facts: { ...place, ...cause.facts, appended, existed, rejected },
      remedy: joined(cause.remedy, again(cause, piece, sentAgain)),
      commandRemedy: joined(cause.commandRemedy, again(cause, piece, typedAgain)),
      cause,
    });
  }
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function describe({ appended, existed }: SoFar): string {
  const events = appended === 1 ? '1 event was' : `${appended.toLocaleString('en-US')} events were`;
  const there = existed === 0 ? '' : ` (${existed.toLocaleString('en-US')} were already there)`;
  return `${events} appended before that${there}`;
}

/** How to go on: after an error of one piece, which has to be corrected, and after any other. */
interface GoingOn {
  readonly corrected: string;
  readonly continued: string;
}

const sentAgain: GoingOn = {
  corrected: 'Correct it and send the input again',
  continued: 'Send the same input again to continue',
};

const typedAgain: GoingOn = {
  corrected: 'Correct the line, or set bad lines aside with --rejects FILE, and run the same command again',
  continued: 'Run the same command again to continue',
};

function again(cause: IcecoreError, piece: PiecePlace | null, { corrected, continued }: GoingOn): string {
  if (cause instanceof ForeignPiece) return '';
  return `${piece === null ? continued : corrected}: events are not appended twice.`;
}
