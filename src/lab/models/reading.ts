// From what came over the wire to what the model said, or to the fault it was.
import { parseJson } from '../../../schemas/json-text.ts';
import { type Completion, completionIn } from './completion.ts';
import type { Received } from './exchange/exchange.ts';
import { type Found, NotJson } from './faults/answers.ts';
import { CutShort } from './faults/connection.ts';
import type { Place } from './faults/fault.ts';
import { fieldsOf } from './fields.ts';
import { refusalOf, shown } from './refusal.ts';
import type { Secret } from './secret.ts';

/** Throws a ModelFault. */
export function read(place: Place, received: Received, secret: Secret | null, now: number): Completion {
  const { status, headers } = received;
  if (status < 200 || status >= 300) {
    const body = Buffer.isBuffer(received.body) ? received.body.toString() : received.body;
    throw refusalOf(place, { status, headers, body }, secret, now);
  }
  const body = Buffer.isBuffer(received.body) ? parsed(place, received, received.body, secret) : received.body;
  const { error, choices } = fieldsOf(body);
  const isRefused = error !== undefined && error !== null && choices === undefined;
  if (isRefused) throw refusalOf(place, { status, headers, body }, secret, now);
  return completionIn(body, place);
}

function parsed(place: Place, { status, headers }: Received, bytes: Buffer, secret: Secret | null): object {
  const text = bytes.toString().replace(/^\ufeff/, '');
  const value = parse(text);
  if (typeof value === 'object' && value !== null) return value;
  if (value === undefined && isUnfinished(text)) throw new CutShort(place, bytes.length);
  const contentType = headers['content-type'] ?? 'no content type';
  const found: Found = { status, contentType, begins: shown(text.slice(0, 1000), secret).slice(0, 80) };
  throw new NotJson(place, kindOf(text), found);
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return parseWithNaN(text);
  }
}

/**
 * Some servers write NaN, which JSON does not have; it is null here. Texts stay as they are, also one without an end: it is
 * taken in one piece, since to look for its end again from each of its quotes would take for ever.
 */
function parseWithNaN(text: string): unknown {
  try {
    return parseJson(
      text.replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*\\?(?:"|$)|\bNaN\b|-?\bInfinity\b/g, (found) =>
        found[0] === '"' ? found : 'null',
      ),
    );
  } catch {
    return undefined;
  }
}

function isUnfinished(text: string): boolean {
  return /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text);
}

function kindOf(text: string): string {
  if (text.trim() === '') return 'nothing';
  return /^\s*</.test(text) ? 'a page' : 'something else';
}
