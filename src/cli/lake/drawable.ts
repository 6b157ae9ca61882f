// What is to be drawn: instances as lines of JSON, as programs hand them over, or in letters, as people type them. Both may
// come in one input; lakes in letters are parted by blank lines.

import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { fromAscii } from '../../lab/lake/ascii.ts';
import { type Instance, NotAnInstance } from '../../lab/lake/instance.ts';
import { instanceOf } from '../../lab/lake/line.ts';
import { splitLines } from '../../producers/intake/pieces.ts';
import { faultIn } from './answer.ts';
import { type Asked, askedIn, longestLine } from './asked.ts';

export interface Drawable {
  /** Where it begins in the input. */
  readonly line: number;
  readonly instance: Instance;
  /** What was answered to it; undefined where the input says nothing of that. */
  readonly answer?: unknown;
  readonly truncated: boolean;
}

/** Throws at the first that is no instance. */
export async function* drawablesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Drawable> {
  let rows: Asked[] = [];
  for await (const pieces of splitLines(bytes, longestLine)) {
    for (const asked of askedIn(pieces)) {
      const isJson = asked.fault !== null || asked.text.startsWith('{');
      const goesOn = !isJson && asked.line === (rows.at(-1)?.line ?? 0) + 1;
      if (rows.length > 0 && !goesOn) {
        yield lettered(rows);
        rows = [];
      }
      if (isJson) yield lined(asked);
      else rows.push(asked);
    }
  }
  if (rows.length > 0) yield lettered(rows);
}

function lettered(rows: readonly Asked[]): Drawable {
  const line = rows[0]?.line ?? 1;
  const text = rows.map((row) => row.text).join('\n');
  try {
    return { line, instance: fromAscii(text), truncated: false };
  } catch (error) {
    // Put where it stands in the input, it is refused with the place that people look for.
    if (error instanceof NotAnInstance) fromAscii('\n'.repeat(line - 1) + text);
    throw error;
  }
}

function lined(asked: Asked): Drawable {
  const fields = parsed(asked);
  try {
    const instance = instanceOf(fields);
    const truncated = fields['truncated'] === true;
    const { plan } = fields;
    return { line: asked.line, instance, truncated, ...(plan === undefined || plan === null ? {} : { answer: plan }) };
  } catch (error) {
    if (!(error instanceof NotAnInstance)) throw error;
    throw badLine(asked, error, remedyFor(fields));
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(asked: Asked): Fields {
  try {
    return parseJson(asked.text) as Fields;
  } catch {
    throw badLine(asked, null, 'Give it lakes, one a line, or drawn in letters.');
  }
}

function badLine(asked: Asked, error: NotAnInstance | null, remedy: string): IcecoreError {
  const { kind, message, ...facts } = faultIn(asked, error);
  return new IcecoreError(kind, message, { facts, remedy });
}

/** The answers of other commands hold no instance. */
function remedyFor(fields: Fields): string {
  if ('size' in fields) return '';
  if ('solvable' in fields) return 'This is an answer of lake solve: draw the instances it was given, with --solve.';
  if ('outcome' in fields) return 'This is an answer of lake judge: draw the lines that were judged.';
  return '';
}
