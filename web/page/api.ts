// Asks the server. Answers are what the commands print with --json; their types are inferred from the same schemas.
import { useEffect, useRef, useState } from 'preact/hooks';
import { noteConnection } from './connection.ts';
import { keepingEqual } from './unchanged.ts';

/** An error of the server, or of reaching it. */
export class ApiError extends Error {
  readonly kind: string;
  readonly status: number;
  readonly remedy: string | null;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(status: number, { kind, message, remedy, ...facts }: ErrorBody) {
    super(message);
    this.name = 'ApiError';
    this.kind = kind;
    this.status = status;
    this.remedy = remedy ?? null;
    this.facts = facts;
  }
}

interface ErrorBody {
  readonly kind: string;
  readonly message: string;
  readonly remedy?: string;
}

const tokenKey = 'icecore-token';

export function setToken(token: string): void {
  sessionStorage.setItem(tokenKey, token);
  noteConnection({ refusal: null });
}

export function hasToken(): boolean {
  return sessionStorage.getItem(tokenKey) !== null;
}

export function headersWith(headers: Readonly<Record<string, string>>): Record<string, string> {
  const token = recorded === null ? sessionStorage.getItem(tokenKey) : null;
  return token === null ? { ...headers } : { ...headers, authorization: `Bearer ${token}` };
}

declare global {
  interface Window {
    /** Answers that a page without a server brings along, by path; `/site` says which run they are about. */
    icecoreAnswers?: Readonly<Record<string, unknown>>;
  }
}

/** The run of a page without a server. */
export interface SiteStart {
  readonly run: string;
  readonly name: string;
}

const recorded: ReadonlyMap<string, unknown> | null = recordedAnswers();

function recordedAnswers(): ReadonlyMap<string, unknown> | null {
  const answers = window.icecoreAnswers;
  if (answers === undefined) return null;
  return new Map(Object.entries(answers).map(([path, answer]) => [recordedPath(path, null), answer]));
}

/** Views may write the same path in several ways: with other escapes, another order, or the identity of the run for its name. */
function recordedPath(path: string, start: SiteStart | null): string {
  const [pathname = '', ...search] = path.split('?');
  const searchParams = new URLSearchParams(search.join('?'));
  searchParams.sort();
  const parts = pathname.split('/').map((part) => decodeURIComponent(part));
  const [, first, of = '', ...rest] = parts;
  const [run = '', at = ''] = start === null ? [] : [/^[^@]*/.exec(of)?.[0] ?? '', /@.*$/.exec(of)?.[0] ?? ''];
  const named = first === 'runs' && start !== null && run === start.run ? `${start.name}${at}` : of;
  const query = searchParams.toString();
  return `${['', first, named, ...rest].join('\t')}${query === '' ? '' : `?${query}`}`;
}

/** The run of a page without a server; null where there is one. */
export function siteStart(): SiteStart | null {
  return (recorded?.get(recordedPath('/site', null)) as SiteStart | undefined) ?? null;
}

/** Whether a server answers, or only what was recorded with the page. */
export const isServed: boolean = recorded === null;

/** The page is in /ui/, one folder below the server's root. */
export function urlOf(path: string): string {
  return `..${path}`;
}

export async function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  if (recorded !== null) return recordedAnswer<Answer>(path);
  return await answerOf<Answer>(await reached(path, { headers: headersWith({}), ...(signal ? { signal } : {}) }));
}

export interface Body {
  readonly type: string;
  readonly text: string;
}

export async function post<Answer>(path: string, body: Body, signal?: AbortSignal): Promise<Answer> {
  const headers = headersWith({ 'content-type': body.type });
  const sent = { method: 'POST', headers, body: body.text, ...(signal ? { signal } : {}) };
  return await answerOf<Answer>(await reached(path, sent));
}

/** The bytes of an answer, for a file to save. */
export async function download(path: string, body: Body): Promise<Blob> {
  const headers = headersWith({ 'content-type': body.type });
  const response = await reached(path, { method: 'POST', headers, body: body.text });
  if (!response.ok) await answerOf(response);
  return await response.blob();
}

async function reached(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(urlOf(path), init);
    noteConnection({ isAway: false });
    return response;
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === 'AbortError') throw fault;
    noteConnection({ isAway: true });
    throw new ApiError(0, {
      kind: 'unavailable',
      message: 'the server does not answer',
      // Only questions are asked again: nobody may have wanted a query or a decision a second time.
      remedy: `Start icecore serve again; ${init.method === 'POST' ? 'then repeat this' : 'this page continues by itself'}.`,
    });
  }
}

export async function answerOf<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  const value = parsed(text);
  if (response.ok && value !== undefined) return value as Answer;
  const error = (value as { error?: ErrorBody } | undefined)?.error;
  if (response.status === 401) noteConnection({ refusal: error?.message ?? 'the server needs a token' });
  throw new ApiError(
    response.status,
    error ?? { kind: 'unavailable', message: `the answer has status ${response.status}` },
  );
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordedAnswer<Answer>(path: string): Answer {
  const found = recorded?.get(recordedPath(path, siteStart()));
  if (found !== undefined) return found as Answer;
  throw new ApiError(404, {
    kind: 'not-found',
    message: 'this copy of the page does not contain this answer',
    remedy: 'Open the ledger with icecore serve.',
  });
}

export type Answer<Value> =
  | { readonly state: 'loading'; readonly value: null; readonly fault: null }
  /** `fault`: the last refresh failed, and the value is older. */
  | { readonly state: 'ready'; readonly value: Value; readonly fault: unknown }
  | { readonly state: 'failed'; readonly value: null; readonly fault: unknown };

const latest = new Map<string, unknown>();
const mostLatest = 60;

function remember(path: string, value: unknown): void {
  latest.delete(path);
  latest.set(path, value);
  const oldest = latest.keys().next();
  if (latest.size > mostLatest && oldest.done !== true) latest.delete(oldest.value);
}

/**
 * The answer to a path, shown at once if it is known and then asked again. `version`: asks again when it changes. Null: asks nothing.
 */
export function useAnswer<Value>(path: string | null, version: unknown = 0): Answer<Value> {
  const [answer, setAnswer] = useState<{ path: string | null; answer: Answer<Value> }>({ path: null, answer: loading });
  const last = useRef<Answer<Value>>(loading);
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    const set = (next: Answer<Value>): void => {
      last.current = next;
      setAnswer({ path, answer: next });
    };
    const known = latest.get(path);
    set(known === undefined ? loading : { state: 'ready', value: known as Value, fault: null });
    const ask = async (): Promise<void> => {
      try {
        const value = keepingEqual(latest.get(path), await get<Value>(path, stop.signal));
        remember(path, value);
        set({ state: 'ready', value, fault: null });
      } catch (fault) {
        if (stop.signal.aborted) return;
        const { current } = last;
        set(current.state === 'ready' ? { ...current, fault } : { state: 'failed', value: null, fault });
        if (fault instanceof ApiError && (fault.status === 0 || fault.status === 503))
          retry = setTimeout(() => void ask(), 2_000);
      }
    };
    let retry: ReturnType<typeof setTimeout> | undefined;
    void ask();
    return () => {
      clearTimeout(retry);
      stop.abort();
    };
  }, [path, version]);
  // Until the effect has run, the answer is that of another path.
  return answer.path === path ? answer.answer : loading;
}

const loading = { state: 'loading', value: null, fault: null } as const;
