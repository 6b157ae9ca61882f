// What is told of a program that did not come to an answer.
import { describeExit } from '../../programs/errors.ts';
import type { NoProposal } from '../engineer.ts';
import { type Unusable, whole } from '../proposal-reading.ts';
import { mostPrinted, type Ran } from './running.ts';

/** Null where it ended as it should. What it prints then is another matter. */
export function failureOf({ end, printed, lastWords }: Ran, timeoutMs: number): Unusable | null {
  const because = (reason: NoProposal['reason'], what: string): Unusable => ({
    reason,
    issues: [whole(`a program that ${what}${quoted(lastWords)}`)],
  });
  switch (end.kind) {
    case 'late':
      return because('timeout', `had not ended after ${timeoutMs / 1000} s and was stopped`);
    case 'endless':
      return because('unreadable', `printed more than ${mostPrinted} bytes`);
    case 'not-started':
      return because('unavailable', `cannot be started: ${end.reason}`);
    case 'exit':
      if (end.code !== 0) return because('crashed', describeExit(end));
      return printed === '' ? because('empty', 'ended without printing anything') : null;
    case 'hung-up':
    case 'unreadable':
      return because('crashed', end.what);
  }
}

/** So much of what it said last tells what happened. */
const mostLines = 5;

function quoted(lastWords: readonly string[]): string {
  const lines = lastWords.slice(-mostLines);
  return lines.length === 0 ? '' : `; its last words: ${lines.join(' / ')}`;
}
