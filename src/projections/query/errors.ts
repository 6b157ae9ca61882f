// Why a question got no answer. A message stays on one line and says where; the excerpt shows the place.
import { IcecoreError } from '../../../schemas/errors.ts';
import { perhaps } from '../../../schemas/nearest.ts';
import type { Place } from './place.ts';

export const allowedStatements =
  'SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SHOW, SUMMARIZE, PIVOT, UNPIVOT, EXPLAIN';

/** An error about something that was written, with the line it stands in. */
export abstract class AtPlace extends IcecoreError {
  /** The line with a caret under the place, over two lines; empty where no place is known. */
  declare readonly excerpt: string;

  constructor(
    kind: 'bad-input' | 'not-found',
    what: string,
    place: Place | null,
    { facts, remedy }: { facts: Readonly<Record<string, unknown>>; remedy: string },
  ) {
    const where = place === null ? {} : { line: place.line, column: place.column, excerpt: place.excerpt };
    super(kind, place === null ? what : `line ${place.line}, column ${place.column}: ${what}`, {
      facts: { ...facts, ...where },
      remedy,
    });
    Object.defineProperty(this, 'excerpt', { value: place?.excerpt ?? '' });
  }
}

/** A statement, or a part of one, that does anything else than ask the tables. */
export class RefusedStatement extends AtPlace {
  override readonly name = 'RefusedStatement';

  constructor(refused: string, place: Place | null, remedy = `Allowed is one statement: ${allowedStatements}.`) {
    super('bad-input', `${refused} is not allowed here`, place, {
      facts: { refused, allowed: allowedStatements.split(', ') },
      remedy,
    });
  }
}

/** SQL that DuckDB cannot read, or cannot carry out with the values it met. Its advice to change a setting is left out, since
 * none can be changed. */
export class BrokenSql extends AtPlace {
  override readonly name = 'BrokenSql';

  constructor(what: string, place: Place | null, remedy = '') {
    const said = what.replace(/ Use "SET .*$/, '');
    super('bad-input', said, place, { facts: { what: said }, remedy });
  }
}

export type Nameable = 'table' | 'column' | 'function' | 'schema';

/** How many names a message lists. */
const mostNames = 24;

export class UnknownName extends AtPlace {
  override readonly name = 'UnknownName';

  constructor(
    kind: Nameable,
    found: string,
    place: Place | null,
    { near, known, remedy = '' }: { near: readonly string[]; known: readonly string[]; remedy?: string },
  ) {
    super('not-found', `there is no ${kind} "${found}"${near.length === 0 ? '' : `, ${perhaps(near)}`}`, place, {
      facts: { [kind]: found, nearest: near, known },
      remedy: remedy !== '' || near.length > 0 || known.length === 0 ? remedy : `There ${listed(kind, known)}.`,
    });
  }
}

function listed(kind: Nameable, names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `${names.length === 1 ? `is the ${kind}` : `are the ${kind}s`} ${shown}${more}`;
}

export class TooMuchMemory extends IcecoreError {
  override readonly name = 'TooMuchMemory';

  constructor(memoryMegabytes: number, cause?: unknown) {
    super('unavailable', `sql: the question was stopped: it needed more than ${memoryMegabytes} MB of memory`, {
      facts: { memoryMegabytes },
      remedy: `Ask for fewer rows or columns, or allow more: --memory ${memoryMegabytes * 2}.`,
      cause,
    });
  }
}

export class TooMuchDisk extends IcecoreError {
  override readonly name = 'TooMuchDisk';

  constructor(diskMegabytes: number, cause?: unknown) {
    super('unavailable', `sql: the question was stopped: it needed more than ${diskMegabytes} MB of temporary disk`, {
      facts: { diskMegabytes },
      remedy: `Ask for fewer rows or columns, or allow more: --disk ${diskMegabytes * 2}.`,
      cause,
    });
  }
}

export class TookTooLong extends IcecoreError {
  override readonly name = 'TookTooLong';
  /** False where a single step of the query cannot be stopped: it goes on in the background until that step is done. */
  readonly stopped: boolean;

  constructor(seconds: number, stopped: boolean) {
    const still = stopped ? '' : ', and has not stopped yet';
    super('unavailable', `the query took longer than the ${seconds} s it is allowed${still}`, {
      facts: { seconds, stopped },
      remedy: `Ask for less, or allow more: --seconds ${seconds * 4}.`,
    });
    this.stopped = stopped;
  }
}

export class QuestionCancelled extends IcecoreError {
  override readonly name = 'QuestionCancelled';
  readonly stopped: boolean;

  constructor(stopped: boolean) {
    super('interrupted', `the query was cancelled${stopped ? '' : ', and has not stopped yet'}`, {
      facts: { stopped },
    });
    this.stopped = stopped;
  }
}

/** A part of the answer was handed out before the file turned out to be damaged: it cannot be begun again. */
export class AnswerCut extends IcecoreError {
  override readonly name = 'AnswerCut';

  constructor(cause: unknown) {
    super('damaged', 'the tables turned out to be damaged in the middle of the answer, and have been made anew', {
      remedy: 'Ask again: what was handed out is not the whole answer.',
      cause,
    });
  }
}

/** Whether the query still works on one step that cannot be stopped, and keeps the file until it is done with that. */
export function isUnstopped(error: unknown): boolean {
  return (error instanceof TookTooLong || error instanceof QuestionCancelled) && !error.stopped;
}

/** A fault of DuckDB's own, which no other question need meet. */
export class EngineFailed extends IcecoreError {
  override readonly name = 'EngineFailed';

  constructor(what: string, cause: unknown) {
    super('internal', `DuckDB failed: ${what}`, { facts: { what }, remedy: 'Put the question another way.', cause });
  }
}

/**
 * The process of the question is no more. It may have been short of memory: native code to which the system gives no more ends
 * in many ways, mostly without a word.
 */
export class ProcessEnded extends IcecoreError {
  override readonly name = 'ProcessEnded';

  constructor(how: string, output = '') {
    super('unavailable', `sql: the process of the question ended: ${how}`, {
      facts: { how, output },
      remedy: 'It may have run out of memory: ask for fewer rows or columns, or allow more with --memory.',
    });
  }
}
