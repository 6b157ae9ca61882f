// What is wrong where a program did not come to an answer: an error of the program, or nothing that could be read.
import { describeExit } from '../../programs/errors.ts';
import type { Failure } from '../errors.ts';
import { type Unusable, whole } from '../proposal-reading.ts';
import { mostPrinted, type Ran } from './running.ts';

export interface Failed {
  readonly failure: Failure;
  readonly what: string;
}

/** Null where it ended as it should. What it prints then is another matter. */
export function failureOf({ end, lastWords }: Ran, timeoutMs: number): Failed | null {
  const failed = (failure: Failure, what: string): Failed => ({ failure, what: `${what}${quoted(lastWords)}` });
  switch (end.kind) {
    case 'late':
      return failed('timeout', `had not ended after ${timeoutMs / 1000} s and was stopped`);
    case 'not-started':
      return failed('unavailable', `cannot be started: ${end.reason}`);
    case 'exit':
      return end.code === 0 ? null : failed('crashed', describeExit(end));
    case 'hung-up':
    case 'unreadable':
      return failed('crashed', end.what);
    case 'endless':
      return null;
  }
}

/** Of a program that ended as it should; null where it printed what can be read. */
export function nothingReadable({ end, printed, lastWords }: Ran): Unusable | null {
  const unusable = (reason: Unusable['reason'], what: string): Unusable => ({
    reason,
    issues: [whole(`a program that ${what}${quoted(lastWords)}`)],
  });
  if (end.kind === 'endless') return unusable('unreadable', `printed more than ${mostPrinted} bytes`);
  return printed === '' ? unusable('empty', 'ended without printing anything') : null;
}

/** So much of what it said last tells what happened. */
const mostLines = 5;

function quoted(lastWords: readonly string[]): string {
  const lines = lastWords.slice(-mostLines);
  return lines.length === 0 ? '' : `; its last words: ${lines.join(' / ')}`;
}
