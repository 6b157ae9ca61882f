// What comes back, as it is read: never more of it is held than an answer can have.
import type { IncomingHttpHeaders } from 'node:http';
import { TooLarge } from '../faults/connection.ts';
import type { Place } from '../faults/fault.ts';
import { EventStream } from './event-stream.ts';

/** No answer is larger. */
export const mostBytes = 10 * 1024 * 1024;

/** What went wrong is told at the beginning. */
const mostOfRefusal = 64 * 1024;

export interface Body {
  /** How many bytes were taken. */
  readonly bytes: number;
  /** `enough`: what follows is of no interest. Throws a ModelFault. */
  take(chunk: Buffer): 'more' | 'enough';
  /** What was taken. Throws a ModelFault where it is not all. */
  whole(): Buffer | object;
}

export function bodyOf(status: number, headers: IncomingHttpHeaders, place: Place): Body {
  const isAnswer = status >= 200 && status < 300;
  if (isAnswer && isEventStream(headers)) return new EventStream(place, mostBytes);
  return new WholeBody(place, isAnswer);
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

class WholeBody implements Body {
  bytes = 0;
  readonly #place: Place;
  readonly #isAnswer: boolean;
  readonly #chunks: Buffer[] = [];

  constructor(place: Place, isAnswer: boolean) {
    this.#place = place;
    this.#isAnswer = isAnswer;
  }

  take(chunk: Buffer): 'more' | 'enough' {
    this.bytes += chunk.length;
    if (this.#isAnswer && this.bytes > mostBytes) throw new TooLarge(this.#place, 'answer', mostBytes);
    this.#chunks.push(chunk);
    return !this.#isAnswer && this.bytes > mostOfRefusal ? 'enough' : 'more';
  }

  whole(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
