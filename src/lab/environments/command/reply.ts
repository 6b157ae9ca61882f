// One line of a program as a reply, or what is wrong with it.
import { parseJson } from '../../../../schemas/json-text.ts';
import { found } from '../../../../schemas/phrase.ts';
import { unspeakableIn } from '../../programs/speakable.ts';
import { isObject } from '../knobs.ts';

/** The reply that a line is, or in words what it is instead. */
export function replyIn(text: string): Readonly<Record<string, unknown>> | string {
  let reply: unknown;
  try {
    reply = parseJson(text);
  } catch {
    return hintsAtNaN(text) ? 'NaN or Infinity, which is no JSON' : 'a line that is no JSON';
  }
  if (!isObject(reply)) return `${found(reply)}, where a reply is an object`;
  if (reply['request'] === undefined) return 'a reply without the number of its request';
  return unspeakableIn(reply, text) ?? reply;
}

const hintsAtNaN = (text: string): boolean => /[:[,]\s*-?(?:NaN|Infinity)\b/.test(text);

/** A number that no request waiting for a reply has; `last` is that of the last request. */
export function strangeNumber(number: unknown, last: number): string {
  const wasAsked = Number.isInteger(number) && (number as number) >= 1 && (number as number) <= last;
  return `a reply to request ${wasAsked ? `${number}, which is over` : `${found(number)}, which was never made`}`;
}
