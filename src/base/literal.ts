// A text in Markdown that means itself, whatever marks are in it.
import { visible } from './visible.ts';

/** Underscores within words are only that, and brackets are marks where a link or a footnote could be; the others always. */
const marks = /[\\`*<>|~]|(?<!\w)_|_(?!\w)|\](?=[([:])|\[(?=\^)|&(?=[#\w]+;)/g;

export function literal(value: string): string {
  return visible(value.replace(marks, '\\$&'));
}
