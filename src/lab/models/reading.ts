// Converts an HTTP response to the model's answer, or throws the fault it represents.
import { jsonOrUndefined } from '../../../schemas/json-text.ts';
import { type Completion, completionIn, type Fields, fieldsOf, textIn } from './answers.ts';
import type { Received } from './exchange.ts';
import {
  BadRequest,
  CutShort,
  Forbidden,
  type Found,
  type ModelFault,
  NotJson,
  type Place,
  QuotaSpent,
  RateLimited,
  Redirected,
  type Said,
  ServerFailed,
  Unauthorised,
} from './faults.ts';
import { longestLine, type Secret, scrubbedLine } from './secret.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Throws a ModelFault. */
export function read(place: Place, received: Received, secret: Secret | null, now: number): Completion {
  const completion = completionIn(jsonIn(place, received, secret, now), place);
  return secret === null ? completion : withoutKey(completion, secret);
}

/** An endpoint may repeat the key in what is recorded. */
function withoutKey({ answer, reasoning, reported, ...rest }: Completion, secret: Secret): Completion {
  return {
    ...rest,
    answer: answer === null ? null : secret.removeFrom(answer),
    ...(reasoning === undefined ? {} : { reasoning: secret.removeFrom(reasoning) }),
    ...(reported === undefined ? {} : { reported: secret.removeFrom(reported) }),
  };
}

/** Throws a ModelFault for a refusal or a response that is not JSON. */
export function jsonIn(place: Place, received: Received, secret: Secret | null, now: number): object {
  const { status, headers } = received;
  if (status < 200 || status >= 300) {
    const body = Buffer.isBuffer(received.body) ? received.body.toString() : received.body;
    throw refusalOf(place, { status, headers, body }, secret, now);
  }
  const body = Buffer.isBuffer(received.body) ? parsed(place, received, received.body, secret) : received.body;
  const { error, choices } = fieldsOf(body);
  const isRefused = error !== undefined && error !== null && choices === undefined;
  if (isRefused) throw refusalOf(place, { status, headers, body }, secret, now);
  return body;
}

function parsed(place: Place, { status, headers }: Received, bytes: Buffer, secret: Secret | null): object {
  const text = bytes.toString().replace(/^\ufeff/, '');
  const value = parseTolerantly(text);
  if (typeof value === 'object' && value !== null) return value;
  if (value === undefined && isUnfinished(text)) throw new CutShort(place, bytes.length);
  const contentType = scrubbedLine(headers['content-type'] ?? 'no content type', secret);
  const found: Found = { status, contentType, begins: scrubbedLine(text.slice(0, 1000), secret).slice(0, 80) };
  throw new NotJson(place, kindOf(text), found);
}

/**
 * Some servers write NaN, which is not JSON; it becomes null. String literals stay unchanged, including an unterminated
 * one, which is consumed at once to avoid quadratic time.
 */
function parseTolerantly(text: string): unknown {
  return jsonOrUndefined(text) ?? jsonOrUndefined(text.replace(texts, (found) => (found[0] === '"' ? found : 'null')));
}

const texts = /"[^"\\]*(?:\\[\s\S][^"\\]*)*\\?(?:"|$)|\bNaN\b|-?\bInfinity\b/g;

function isUnfinished(text: string): boolean {
  return /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text);
}

function kindOf(text: string): string {
  if (text.trim() === '') return 'nothing';
  return /^\s*</.test(text) ? 'a page' : 'something else';
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The text as received, or the JSON assembled from a stream. */
  readonly body: string | object;
}

/** Status 429 means either a rate limit or an exhausted account. */
const spent =
  /insufficient_quota|credit_balance_exhausted|spend_limit_exceeded|usage_limit_exceeded|billing_hard_limit|insufficient_balance/i;

/** An error response as a fault of its class. */
function refusalOf(place: Place, reply: Reply, secret: Secret | null, now: number): ModelFault {
  const { headers } = reply;
  const error = errorIn(reply.body);
  const status = statusOf(reply.status, error);
  const said: Said = { status, says: scrubbedLine(wordsIn(reply.body, error), secret) };
  const code = [error['code'], error['type']].map(wordOf).find((word) => spent.test(word));
  const waitMs = waitAskedFor(headers, error, now);
  if (status >= 300 && status < 400) {
    return new Redirected(place, status, scrubbedLine(destination(headers['location']), secret));
  }
  if (status === 401 || isAboutTheKey(error)) return new Unauthorised(place, status);
  if (status === 403) return new Forbidden(place, said);
  if (status === 402 || code !== undefined) return new QuotaSpent(place, said, code ?? String(status));
  if (status === 429) return new RateLimited(place, said, waitMs);
  if (isPassing(status)) return new ServerFailed(place, said, waitMs);
  return new BadRequest(place, said);
}

/** 501 and 505 are permanent. */
function isPassing(status: number): boolean {
  return (status >= 500 && status !== 501 && status !== 505) || [408, 409, 425].includes(status);
}

/** Some endpoints wrap the error in a list, some do not wrap it at all. */
function errorIn(body: string | object): Fields {
  const parsed: unknown = typeof body === 'string' ? jsonOrUndefined(body) : body;
  const whole = fieldsOf(Array.isArray(parsed) ? parsed[0] : parsed);
  if (textIn(whole['error']) !== undefined) return { message: whole['error'] };
  const { error = whole } = whole;
  return fieldsOf(error);
}

/** If the HTTP status is a success, the error's own code counts. */
function statusOf(status: number, { code }: Fields): number {
  if (status < 200 || status >= 300) return status;
  const stated = Number(wordOf(code));
  return Number.isInteger(stated) && stated >= 400 && stated < 600 ? stated : 500;
}

/** A text or a number; empty for anything else, which might throw on conversion. */
function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function isAboutTheKey({ details }: Fields): boolean {
  const all = Array.isArray(details) ? details : [];
  return all.some((detail) => fieldsOf(detail)['reason'] === 'API_KEY_INVALID');
}

function wordsIn(body: string | object, error: Fields): string {
  const message = textIn(error['message']) ?? textIn(error['detail']);
  if (message !== undefined) return message;
  if (error['detail'] !== undefined) return asJson(error['detail']);
  if (typeof body !== 'string') return '';
  const begins = body.slice(0, 10 * longestLine);
  return /^\s*</.test(begins) ? `a page: ${begins.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')}` : begins;
}

/** Values that are nested too deeply to serialise are not worth showing. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'details that are nested too deeply';
  }
}

/** Without the query string, which may contain secrets. */
function destination(location: string | string[] | undefined): string {
  const parsed = typeof location === 'string' ? URL.parse(location, 'http://relative.invalid') : null;
  if (parsed === null) return 'nowhere';
  return parsed.host === 'relative.invalid' ? parsed.pathname : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** In milliseconds; null if there is none. */
export function waitAskedFor(headers: Headers, error: Fields, now: number): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  return retryAfter(headers['retry-after'], now) ?? retryInfo(error) ?? waitUntilReset(headers);
}

/** A number of seconds or a date. */
function retryAfter(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds < 0 ? null : seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Google puts the delay in the error. */
function retryInfo({ details }: Fields): number | null {
  for (const detail of Array.isArray(details) ? details : []) {
    const wait = duration(fieldsOf(detail)['retryDelay']);
    if (wait !== null) return wait;
  }
  return null;
}

/**
 * The time until the allowance of requests or tokens is refilled, if it is used up. `needed` is an upper bound for the
 * tokens of the next request.
 */
export function waitUntilReset(headers: Headers, needed = 1): number | null {
  const waits = [resetOf(headers, 'requests', 1), resetOf(headers, 'tokens', needed)].filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

function resetOf(headers: Headers, of: 'requests' | 'tokens', needed: number): number | null {
  const remaining = headers[`x-ratelimit-remaining-${of}`];
  if (typeof remaining !== 'string' || !/^\d+$/.test(remaining) || Number(remaining) >= needed) return null;
  return duration(headers[`x-ratelimit-reset-${of}`]);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `1.5s`, `250ms` or a number of seconds; a number that is clearly a timestamp is ignored. */
function duration(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) < 1e6 ? Number(value) * 1000 : null;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) return null;
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (units[unit] ?? 0);
  return sum;
}
