// What an endpoint says when it does not answer, as a fault of its class.
import { parseJson } from '../../../schemas/json-text.ts';
import { Redirected } from './faults/connection.ts';
import type { ModelFault, Place } from './faults/fault.ts';
import {
  BadRequest,
  Forbidden,
  QuotaSpent,
  RateLimited,
  type Said,
  ServerFailed,
  Unauthorised,
} from './faults/refusing.ts';
import { type Fields, fieldsOf, textIn } from './fields.ts';
import { waitAskedFor } from './rates.ts';
import type { Secret } from './secret.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The text as it came, or the JSON that was put together from the pieces of a stream. */
  readonly body: string | object;
}

/** 429 says both: wait a moment, and there is no money left. */
const spent =
  /insufficient_quota|credit_balance_exhausted|spend_limit_exceeded|usage_limit_exceeded|billing_hard_limit|insufficient_balance/i;

export function refusalOf(place: Place, reply: Reply, secret: Secret | null, now: number): ModelFault {
  const { headers } = reply;
  const error = errorIn(reply.body);
  const status = statusOf(reply.status, error);
  const said: Said = { status, says: shown(wordsIn(reply.body, error), secret) };
  const code = [error['code'], error['type']].map(wordOf).find((word) => spent.test(word));
  const waitMs = waitAskedFor(headers, error, now);
  if (status >= 300 && status < 400) return new Redirected(place, status, destination(headers['location']));
  if (status === 401 || isAboutTheKey(error)) return new Unauthorised(place, status);
  if (status === 403) return new Forbidden(place, said);
  if (status === 402 || code !== undefined) return new QuotaSpent(place, said, code ?? String(status));
  if (status === 429) return new RateLimited(place, said, waitMs);
  if (isPassing(status)) return new ServerFailed(place, said, waitMs);
  return new BadRequest(place, said);
}

/** 501 and 505 say that it will never be able to. */
function isPassing(status: number): boolean {
  return (status >= 500 && status !== 501 && status !== 505) || [408, 409, 425].includes(status);
}

/** Some wrap it in a list, some have it without a wrapping. */
export function errorIn(body: string | object): Fields {
  const parsed: unknown = typeof body === 'string' ? parse(body) : body;
  const whole = fieldsOf(Array.isArray(parsed) ? parsed[0] : parsed);
  if (textIn(whole['error']) !== undefined) return { message: whole['error'] };
  const { error = whole } = whole;
  return fieldsOf(error);
}

/** Where the status says that all went well, the number in the error says what did not. */
function statusOf(status: number, { code }: Fields): number {
  if (status < 200 || status >= 300) return status;
  const told = Number(wordOf(code));
  return Number.isInteger(told) && told >= 400 && told < 600 ? told : 500;
}

/** A text or a number; empty for anything else, which may refuse to become a text. */
function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function isAboutTheKey({ details }: Fields): boolean {
  const all = Array.isArray(details) ? details : [];
  return all.some((detail) => fieldsOf(detail)['reason'] === 'API_KEY_INVALID');
}

function wordsIn(body: string | object, error: Fields): string {
  const told = textIn(error['message']) ?? textIn(error['detail']);
  if (told !== undefined) return told;
  if (error['detail'] !== undefined) return asJson(error['detail']);
  if (typeof body !== 'string') return '';
  const begins = body.slice(0, 10 * longest);
  return /^\s*</.test(begins) ? `a page: ${begins.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')}` : begins;
}

const longest = 300;

/** What is nested too deeply to be written is not worth reading either. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'details that are nested too deeply';
  }
}

/** On one line, short, and without the key. */
export function shown(text: string, secret: Secret | null): string {
  const scrubbed = secret === null ? text : secret.scrub(text);
  const line = scrubbed
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

/** Without what may stand behind a question mark. */
function destination(location: string | string[] | undefined): string {
  const parsed = typeof location === 'string' ? URL.parse(location, 'http://relative.invalid') : null;
  if (parsed === null) return 'nowhere';
  return parsed.host === 'relative.invalid' ? parsed.pathname : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
