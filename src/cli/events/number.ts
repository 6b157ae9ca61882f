// How many events are asked for: by --number, or by -NUMBER, as people call head and tail.
import { IcecoreError } from '../../../schemas/errors.ts';

/** Null where no number is asked for. */
export function numberOf(option: string | undefined, word: string | undefined): number | null {
  const text = word === undefined ? option : digitsOf(word, option);
  return text === undefined ? null : wholeNumber(text);
}

function digitsOf(word: string, option: string | undefined): string {
  if (!word.startsWith('-')) {
    throw new IcecoreError('usage', `tail: too many arguments: "${word}"`, {
      facts: { command: 'tail', found: word },
      remedy: 'icecore tail --help shows what it takes.',
    });
  }
  if (option !== undefined) {
    throw new IcecoreError('usage', `tail: both ${word} and --number ${option}`, {
      facts: { command: 'tail', found: word },
      remedy: 'Give one of them.',
    });
  }
  return word.slice(1);
}

function wholeNumber(text: string): number {
  if (/^(?:0|[1-9][0-9]{0,8})$/.test(text)) return Number(text);
  throw new IcecoreError('usage', `--number: found "${text}", allowed: a whole number from 0`, {
    facts: { field: '--number', found: text, allowed: 'a whole number from 0' },
  });
}
