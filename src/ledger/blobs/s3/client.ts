// Requests to an S3-compatible server, signed with AWS Signature Version 4, retried after transient errors; refusals become
// errors that say what they mean for blobs.
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { StorageFailed } from '../../../base/folders.ts';
import { sha256 } from '../../identity/ids.ts';
import { BlobStoreMissing, badBlobUrl } from '../errors.ts';
import type { S3Place } from './location.ts';
import { textOf } from './xml.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** An object of the bucket; absent: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The required permission, for the message when it is missing: `s3:GetObject`. */
  readonly permission: string;
  /** Unsuccessful answers that the caller handles. */
  readonly accept?: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Patience {
  readonly attempts: number;
  /** The delay before the second attempt; it doubles with each attempt, and half of it is random. */
  readonly firstPauseMs: number;
  /** The time limit for the beginning of an answer. */
  readonly answerMs: number;
}

const usualPatience: Patience = { attempts: 6, firstPauseMs: 200, answerMs: 120_000 };
/** More than a list of a thousand objects, or the range requested of a blob at once. */
const mostAnswerBytes = 64 * 1024 * 1024;
/** The time limit for a whole answer, as a multiple of that for its beginning, so that a slow server cannot block for ever. */
const wholeAnswer = 5;

export class S3Client {
  readonly place: S3Place;
  readonly #patience: Patience;

  constructor(place: S3Place, patience: Patience = usualPatience) {
    this.place = place;
    this.#patience = patience;
  }

  /** The whole answer. Throws the server's refusal, or BlobsUnavailable. */
  ask(request: S3Request): Promise<Answer> {
    return this.#retry(async () => {
      const answer = await this.#whole(await this.#send(request));
      this.#requireUnderstood(request, answer);
      return answer;
    });
  }

  /** The body of an answer in pieces, once it has begun. Errors in the middle of it reach the caller. */
  stream(request: S3Request): Promise<AsyncIterable<Uint8Array>> {
    return this.#retry(async () => {
      const response = await this.#send(request);
      if (!response.ok) this.#requireUnderstood(request, await this.#whole(response));
      if (response.body === null) throw new PassingFault('the server sent an empty answer');
      return response.body;
    });
  }

  /** Throws BlobsUnavailable after too many transient faults. */
  async #retry<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const { attempts, firstPauseMs } = this.#patience;
    for (let made = 1; ; made++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (made >= attempts) throw blobsUnavailable(this.place.url, rootOf(error), attempts, error);
        await pause(firstPauseMs * 2 ** (made - 1) * (0.5 + Math.random() / 2));
      }
    }
  }

  async #send(request: S3Request): Promise<Response> {
    const { url, headers } = await sign(this.place, request);
    const body = request.body === undefined ? null : Buffer.from(request.body);
    const waiting = new AbortController();
    const { answerMs } = this.#patience;
    const timer = setTimeout(() => waiting.abort(tooSlow('answer', answerMs)), answerMs);
    try {
      return await fetch(url, { method: request.method, headers, body, redirect: 'manual', signal: waiting.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  async #whole(response: Response): Promise<Answer> {
    const { status, headers } = response;
    const pieces: Uint8Array[] = [];
    const wholeMs = wholeAnswer * this.#patience.answerMs;
    const begun = performance.now();
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      if (performance.now() - begun > wholeMs) throw tooSlow('whole answer', wholeMs);
      bytes += piece.byteLength;
      if (bytes > mostAnswerBytes) {
        const what = `the server answered with more than ${mostAnswerBytes} bytes, although much fewer were requested`;
        const range = ', which must answer with the requested range';
        throw new StorageFailed(this.place.url, what, checkServer.replace(/\.$/, `${range}.`));
      }
      pieces.push(piece);
    }
    return { status, headers, body: Buffer.concat(pieces) };
  }

  #requireUnderstood({ method, permission, accept = [] }: S3Request, answer: Answer): void {
    const { status, body } = answer;
    // Slow operations are answered with 200 before their outcome is known.
    const failedLate = method === 'POST' && status === 200 && body.includes('<Error>');
    if (failedLate || status === 429 || status === 408 || (status >= 500 && status !== 501))
      throw new PassingFault(`the server answered ${status} ${textOf(body.toString(), 'Code') ?? ''}`.trim());
    if ((status < 200 || status >= 300) && !accept.includes(status)) throw refusal(this.place, answer, permission);
  }
}

/** A fault that may not occur again. */
class PassingFault extends Error {
  override readonly name = 'PassingFault';
}

function tooSlow(what: string, limitMs: number): Error {
  return new PassingFault(`no ${what} within ${limitMs / 1000} s`);
}

/** Includes the error of `fetch` for failed connections: a TypeError with a cause. */
export function isPassing(error: unknown): boolean {
  return error instanceof PassingFault || (error instanceof TypeError && error.cause !== undefined);
}

/** The innermost cause of a `fetch` error: `connect ECONNREFUSED 127.0.0.1:9000`. */
function rootOf(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  if (found instanceof AggregateError) found = found.errors[0];
  return found instanceof Error ? found.message || found.name : String(found);
}

/** Derived signing keys are valid for a day, so they are cached. */
const derivedKeys = new Map<string, ArrayBuffer>();

/** Includes the hash of the body, so that the server refuses altered content. `datetime` like `20130524T000000Z`, or now. */
export async function sign(
  place: S3Place,
  { method, key = '', query = {}, headers: own, body = Buffer.alloc(0) }: Omit<S3Request, 'permission'>,
  datetime?: string,
): Promise<{ readonly url: string; readonly headers: Headers }> {
  const path = key.split('/').map(encode).join('/');
  const search = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const signer = new AwsV4Signer({
    method,
    url: `${place.base}/${path}${search.length > 0 ? `?${search.join('&')}` : ''}`,
    headers: { ...own, 'x-amz-content-sha256': sha256(body) },
    service: 's3',
    region: place.region,
    ...place.credentials,
    cache: derivedKeys,
    ...(datetime === undefined ? {} : { datetime }),
  });
  const { url, headers } = await signer.sign();
  return { url: url.href, headers };
}

/** Encoded as the signature requires: all but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The server did not answer as required, even after retries. */
export function blobsUnavailable(url: string, what: string, attempts: number, cause?: unknown): IcecoreError {
  return new IcecoreError('unavailable', `${url}: ${what}, ${attempts} times in a row`, {
    name: 'BlobsUnavailable',
    facts: { url, what, attempts },
    cause,
    remedy: 'Check the endpoint and the network, and run the same command again: blobs are not stored twice.',
  });
}

export const checkServer = 'Check that the endpoint is an S3-compatible server.';
const checkKeys = 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for temporary ones, AWS_SESSION_TOKEN.';
const badCredentials = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken']);
const wrongRegion = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

function refusal(
  { url, bucket, region }: S3Place,
  { status, headers, body }: Answer,
  permission: string,
): IcecoreError {
  const xml = body.toString();
  const code = textOf(xml, 'Code') ?? '';
  const said = textOf(xml, 'Message') ?? '';
  if (code === 'NoSuchBucket') return new BlobStoreMissing(url, `the server has no bucket "${bucket}"`);
  if (wrongRegion.has(code) || status === 301 || status === 307) {
    const right = headers.get('x-amz-bucket-region') ?? textOf(xml, 'Region');
    const what = right === null ? `is not answered from region ${region}: ${said}` : `is in region ${right}`;
    return badBlobUrl(url, what, 'Name its region: …?region=REGION, or AWS_REGION.');
  }
  if (badCredentials.has(code))
    return new StorageFailed(url, `the server does not accept the credentials (${code})`, checkKeys);
  if (code === 'RequestTimeTooSkewed') {
    const remedy = 'Set the clock of this machine: signatures are valid only for a few minutes.';
    return new StorageFailed(url, 'the clocks differ too much', remedy);
  }
  if (status === 403 || status === 401) {
    const what = `the server forbids ${permission}${code === '' ? '' : ` (${code})`}`;
    const also = permission === 's3:GetObject' ? ' Without s3:ListBucket, missing objects are forbidden too.' : '';
    return new StorageFailed(url, what, `Allow ${permission} on the bucket ${bucket}.${also}`);
  }
  const what = `the server answered ${status} ${code} ${said}`.trim();
  return new StorageFailed(url, what, checkServer.replace(/\.$/, ', then run `icecore doctor`.'));
}
