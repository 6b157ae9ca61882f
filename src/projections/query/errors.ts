// Why a question got no answer. A message stays on one line and says where; the excerpt shows the place.
import { IcecoreError } from '../../../schemas/errors.ts';
import { perhaps } from '../../../schemas/nearest.ts';

/** What a question may begin with. */
export const allowedStatements =
  'SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SHOW, SUMMARIZE, PIVOT, UNPIVOT, EXPLAIN';

/** An error about something that was written, with the line it stands in. */
export abstract class AtPlace extends IcecoreError {
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

  constructor(seconds: number) {
    super('unavailable', `the query took longer than the ${seconds} s it is allowed`, {
      facts: { seconds, stopped: true },
      remedy: `Ask for less, or allow more: --seconds ${seconds * 4}.`,
    });
  }
}

export class QuestionCancelled extends IcecoreError {
  override readonly name = 'QuestionCancelled';

  constructor() {
    super('interrupted', 'the query was cancelled', { facts: { stopped: true } });
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

// Where in what was written something is wrong: DuckDB counts bytes, people count lines and letters.

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
}

/** As many letters of a long line are shown before and after the place. */
const around = 60;

/** Null where the offset is none, as DuckDB says it with the largest number there is. */
export function placeAt(sql: string, byteOffset: number): Place | null {
  const bytes = Buffer.from(sql);
  if (!Number.isInteger(byteOffset) || byteOffset < 0 || byteOffset > bytes.length) return null;
  const before = bytes.subarray(0, byteOffset).toString().split('\n');
  const upTo = before.at(-1) ?? '';
  const rest = bytes.subarray(byteOffset).toString().split('\n', 1)[0] ?? '';
  return { line: before.length, column: [...upTo].length + 1, excerpt: drawn(before.length, upTo, rest) };
}

function drawn(line: number, before: string, after: string): string {
  const left = [...before.replaceAll('\t', ' ')];
  const right = [...after.replaceAll('\t', ' ').trimEnd()];
  const head = left.length > around ? `…${left.slice(-around).join('')}` : left.join('');
  const tail = right.length > around ? `${right.slice(0, around).join('')}…` : right.join('');
  const label = `LINE ${line}: `;
  return `${label}${head}${tail}\n${' '.repeat(label.length + [...head].length)}^`;
}

/** The index in the text at which so many bytes of it are over. */
export function indexAt(text: string, byteOffset: number): number {
  return Buffer.from(text).subarray(0, byteOffset).toString().length;
}
