// Prose in lines of at most so many columns, broken between words. A word that is longer stays whole: where a terminal
// breaks it by itself, it can still be copied as one.
import { displayWidth } from './width.ts';

export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  const [first = '', ...others] = text.split(' ');
  let line = first;
  for (const word of others) {
    const longer = `${line} ${word}`;
    if (displayWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
