// How many events to show: --limit, or -NUMBER, as people call head and tail.
import { IcecoreError } from '../../../schemas/errors.ts';
import { wholeNumberIn } from '../values.ts';

/** Null where no number is typed. */
export function numberOf(limit: number | undefined, word: string | undefined): number | null {
  if (word === undefined) return limit ?? null;
  if (!word.startsWith('-'))
    throw misused(word, `too many arguments: "${word}"`, 'icecore event tail --help shows its arguments and options.');
  if (limit !== undefined) throw misused(word, `both ${word} and --limit ${limit}`, 'Give one of them.');
  return wholeNumberIn(word.slice(1), '--limit', { from: 0, to: 999_999_999 });
}

function misused(found: string, what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `event tail: ${what}`, { facts: { command: 'event tail', found }, remedy });
}
