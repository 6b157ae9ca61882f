// Why a query failed. A message is one line and names the place; the excerpt shows it.
import { IcecoreError, type Remedies } from '../../../schemas/errors.ts';
import { suggestion } from '../../../schemas/nearest.ts';

/** The keywords that may start a query. */
export const allowedStatements =
  'SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SHOW, SUMMARIZE, PIVOT, UNPIVOT, EXPLAIN';

/** An error in the query text, with its line. */
export abstract class AtPlace extends IcecoreError {
  constructor(
    kind: 'bad-input' | 'not-found',
    what: string,
    place: Place | null,
    { facts, ...remedies }: { readonly facts: Readonly<Record<string, unknown>> } & Remedies,
  ) {
    const where = place === null ? {} : { line: place.line, column: place.column, excerpt: place.excerpt };
    super(kind, place === null ? what : `line ${place.line}, column ${place.column}: ${what}`, {
      facts: { ...facts, ...where },
      ...remedies,
    });
  }
}

/** A statement, or a part of one, that does anything other than query the tables. */
export class RefusedStatement extends AtPlace {
  override readonly name = 'RefusedStatement';

  constructor(
    refused: string,
    place: Place | null,
    remedies: Remedies = { remedy: `Use one statement: ${allowedStatements}.` },
  ) {
    const facts = { refused, allowed: allowedStatements.split(', ') };
    super('bad-input', `${refused} is not allowed here`, place, { facts, ...remedies });
  }
}

/**
 * SQL that DuckDB cannot parse, or cannot execute with the given values. Its advice to change a setting is left out,
 * because settings are locked.
 */
export class BrokenSql extends AtPlace {
  override readonly name = 'BrokenSql';

  constructor(what: string, place: Place | null, remedies: Remedies = {}) {
    const said = what.replace(/ Use "SET .*$/, '');
    super('bad-input', said, place, { facts: { what: said }, ...remedies });
  }
}

export type Nameable = 'table' | 'column' | 'function' | 'schema';

/** The maximum number of names in a message. */
const mostNames = 24;

export class UnknownName extends AtPlace {
  override readonly name = 'UnknownName';

  constructor(
    kind: Nameable,
    found: string,
    place: Place | null,
    { near, known, remedy = '' }: { near: readonly string[]; known: readonly string[]; remedy?: string },
  ) {
    super('not-found', `there is no ${kind} "${found}"${near.length === 0 ? '' : `, ${suggestion(near)}`}`, place, {
      facts: { [kind]: found, nearest: near, known },
      remedy: remedy !== '' || near.length > 0 || known.length === 0 ? remedy : `There ${listed(kind, known)}.`,
    });
  }
}

const whereAll: Partial<Record<Nameable, string>> = {
  table: ' (SHOW TABLES lists them)',
  column: ' (DESCRIBE and the name of a table lists its columns)',
};

function listed(kind: Nameable, names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more${whereAll[kind] ?? ''}` : '';
  return `${names.length === 1 ? `is the ${kind}` : `are the ${kind}s`} ${shown}${more}`;
}

export class TooMuchMemory extends IcecoreError {
  override readonly name = 'TooMuchMemory';

  constructor(memoryMegabytes: number, cause?: unknown) {
    super('unavailable', `sql: the query was stopped: it needed more than ${memoryMegabytes} MB of memory`, {
      facts: { memoryMegabytes },
      remedy: 'Select fewer rows or columns.',
      commandRemedy: `Select fewer rows or columns, or allow more: --memory ${memoryMegabytes * 2}.`,
      cause,
    });
  }
}

export class TooMuchDisk extends IcecoreError {
  override readonly name = 'TooMuchDisk';

  constructor(diskMegabytes: number, cause?: unknown) {
    super('unavailable', `sql: the query was stopped: it needed more than ${diskMegabytes} MB of temporary disk`, {
      facts: { diskMegabytes },
      remedy: 'Select fewer rows or columns.',
      commandRemedy: `Select fewer rows or columns, or allow more: --disk ${diskMegabytes * 2}.`,
      cause,
    });
  }
}

export class TookTooLong extends IcecoreError {
  override readonly name = 'TookTooLong';

  constructor(seconds: number) {
    super('unavailable', `the query exceeded its time limit of ${seconds} s`, {
      facts: { seconds, stopped: true },
      remedy: 'Simplify it.',
      commandRemedy: `Simplify it, or allow more: --seconds ${seconds * 4}.`,
    });
  }
}

export class QuestionCancelled extends IcecoreError {
  override readonly name = 'QuestionCancelled';

  constructor() {
    super('interrupted', 'the query was cancelled', { facts: { stopped: true } });
  }
}

/** The file was found to be damaged after a part of the result was delivered, so the query cannot be restarted. */
export class AnswerCut extends IcecoreError {
  override readonly name = 'AnswerCut';

  constructor(cause: unknown) {
    super('damaged', 'the tables were found to be damaged during the query and have been rebuilt', {
      remedy: 'Run the query again: the result so far is incomplete.',
      cause,
    });
  }
}

/** An internal error of DuckDB, which may not affect other queries. */
export class EngineFailed extends IcecoreError {
  override readonly name = 'EngineFailed';

  constructor(what: string, cause: unknown) {
    super('internal', `DuckDB failed: ${what}`, { facts: { what }, remedy: 'Rephrase the query.', cause });
  }
}

/**
 * The process of the query has ended, possibly because of a lack of memory: native code then fails in many ways, mostly
 * without a message.
 */
export class ProcessEnded extends IcecoreError {
  override readonly name = 'ProcessEnded';

  constructor(how: string, output = '') {
    super('unavailable', `sql: the process of the query ended: ${how}`, {
      facts: { how, output },
      remedy: 'It may have run out of memory: select fewer rows or columns.',
      commandRemedy: 'It may have run out of memory: select fewer rows or columns, or allow more with --memory.',
    });
  }
}

// Places in the query text: DuckDB counts bytes, people count lines and characters.

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
}

/** The number of characters shown before and after the place in a long line. */
const around = 60;

/** Null without an offset, which DuckDB represents by the largest integer. */
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

/** The index in the text after this number of bytes. */
export function indexAt(text: string, byteOffset: number): number {
  return Buffer.from(text).subarray(0, byteOffset).toString().length;
}
