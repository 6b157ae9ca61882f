// What can be wrong with one piece of an input, and what stops a whole intake.
import { describeIssue, IcecoreError, type Issue } from '../../../schemas/errors.ts';

/** One piece does not hold an event that could be appended. */
export class BadPiece extends IcecoreError {
  override readonly name = 'BadPiece';

  constructor(issues: readonly [Issue, ...Issue[]], remedy = '') {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more in it)` : '';
    super('bad-input', `${describeIssue(first)}${more}`, {
      facts: issues.length > 1 ? { ...first, issues } : { ...first },
      remedy,
    });
  }
}

export function badPiece(field: string, found: string, allowed: string, remedy = ''): BadPiece {
  return new BadPiece([{ field, found, allowed }], remedy);
}

/** One piece that shows that the whole input is something else; its remedy says what to do about that. */
export class ForeignPiece extends BadPiece {}

/** An input of which no piece can be an event. */
export class ForeignInput extends IcecoreError {
  override readonly name = 'ForeignInput';

  constructor(found: string, remedy: string) {
    super('bad-input', `the input is ${found}, not JSON`, {
      facts: { found, appended: 0, existed: 0, rejected: 0 },
      remedy,
    });
  }
}

/** A place within a piece that begins at this line of the input. */
export function placeOf(pieceLine: number, line: number, column: number): string {
  return line === 1 ? `column ${column}` : `line ${pieceLine + line - 1}, column ${column}`;
}

/** What had been done when an intake stopped before its end. */
export interface SoFar {
  readonly appended: number;
  readonly existed: number;
  readonly rejected: number;
}

/** An intake that ends early: at a bad line, at a conflict, because the store failed or because it was asked to stop. */
export class IntakeStopped extends IcecoreError {
  override readonly name = 'IntakeStopped';

  constructor(cause: IcecoreError, line: number | null, soFar: SoFar) {
    const { appended, existed, rejected } = soFar;
    const where = line === null ? '' : `line ${line}: `;
    super(cause.kind, `${where}${cause.message}; ${describe(soFar)}`, {
      facts: { ...(line === null ? {} : { line }), ...cause.facts, appended, existed, rejected },
      remedy: [cause.remedy, again(cause, line)].filter((sentence) => sentence !== '').join(' '),
      cause,
    });
  }
}

function describe({ appended, existed }: SoFar): string {
  const events = appended === 1 ? '1 event was' : `${appended.toLocaleString('en-US')} events were`;
  const there = existed === 0 ? '' : ` (${existed.toLocaleString('en-US')} had been there already)`;
  return `${events} appended before that${there}`;
}

function again(cause: IcecoreError, line: number | null): string {
  if (cause instanceof ForeignPiece) return '';
  const repeats = 'what was appended is not appended twice.';
  if (line === null) return `Run the same again to go on: ${repeats}`;
  return `Correct the line, or set bad lines aside with --rejects FILE, and run the same again: ${repeats}`;
}
