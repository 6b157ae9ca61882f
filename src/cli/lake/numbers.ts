// Whole numbers on the command line.
import { IcecoreError } from '../../../schemas/errors.ts';

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Throws a usage error that names the option. */
export function wholeNumber(option: string, text: string, { from, to }: Range): number {
  const number = Number(text.replaceAll('_', ''));
  if (/^[0-9][0-9_]*$/.test(text) && number >= from && number <= to) return number;
  const allowed = `a whole number from ${from.toLocaleString('en')} to ${to.toLocaleString('en')}`;
  throw new IcecoreError('usage', `${option}: found "${text}", allowed: ${allowed}`, {
    facts: { field: option, found: text, allowed },
  });
}

/** `8,10` */
export function wholeNumbers(option: string, text: string, range: Range): readonly number[] {
  return text.split(',').map((part) => wholeNumber(option, part.trim(), range));
}
