// Asks an S3-compatible server, again when it stumbled, and gives up in words.
import { StorageFailed } from '../../errors.ts';
import type { Answer } from './answer.ts';
import { passingFault, refusal } from './faults.ts';
import { type Patience, patiently, Stumble, usualPatience } from './patience.ts';
import type { S3Place } from './place.ts';
import { type S3Request, sign } from './signing.ts';

/** A list of a thousand objects takes less than one of them; so does what is asked for of a blob at once. */
const mostAnswerBytes = 64 * 1024 * 1024;
/** As many times as the server has to begin with it, it has to end it: one that trickles must not keep anybody waiting. */
const wholeAnswer = 5;
const endless = `the server answered with more than ${mostAnswerBytes} bytes, where much fewer were asked for`;
const checkEndpoint =
  'Check that the endpoint is an S3-compatible server, which answers with the range that is asked for.';

export interface Asked extends S3Request {
  /** What the request needs, for the message when it is forbidden: `s3:GetObject`. */
  readonly permission: string;
  /** Answers besides success that the caller understands. */
  readonly accept?: readonly number[];
}

export class S3Client {
  readonly place: S3Place;
  readonly #patience: Patience;

  constructor(place: S3Place, patience: Patience = usualPatience) {
    this.place = place;
    this.#patience = patience;
  }

  /** The whole answer. Throws what the server refused, or BlobsUnavailable. */
  ask(asked: Asked): Promise<Answer> {
    return patiently(this.#patience, this.place.url, async () => {
      const answer = await this.#whole(await this.#send(asked));
      this.#requireUnderstood(asked, answer);
      return answer;
    });
  }

  /** The body of an answer in pieces, once it has begun. What fails in the middle of it, the caller sees. */
  stream(asked: Asked): Promise<AsyncIterable<Uint8Array>> {
    return patiently(this.#patience, this.place.url, async () => {
      const response = await this.#send(asked);
      if (!response.ok) this.#requireUnderstood(asked, await this.#whole(response));
      if (response.body === null) throw new Stumble('the server answered with nothing');
      return response.body;
    });
  }

  #requireUnderstood(asked: Asked, answer: Answer): void {
    const fault = passingFault(asked.method, answer);
    if (fault !== null) throw new Stumble(fault);
    if ((answer.status >= 200 && answer.status < 300) || asked.accept?.includes(answer.status)) return;
    throw refusal(this.place, answer, asked.permission);
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
      if (bytes > mostAnswerBytes) throw new StorageFailed(this.place.url, endless, checkEndpoint);
      pieces.push(piece);
    }
    return { status, headers, body: Buffer.concat(pieces) };
  }

  async #send(request: S3Request): Promise<Response> {
    const { url, headers } = await sign(this.place, request);
    const body = request.body === undefined ? null : Buffer.from(request.body);
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(tooSlow('answer', this.#patience.answerMs));
    const timer = setTimeout(giveUp, this.#patience.answerMs);
    try {
      return await fetch(url, { method: request.method, headers, body, redirect: 'manual', signal: waiting.signal });
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooSlow(what: string, limitMs: number): Error {
  return new Stumble(`no ${what} within ${limitMs / 1000} s`);
}
