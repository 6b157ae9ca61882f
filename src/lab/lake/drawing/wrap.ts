// Words in lines of so many letters.

/** Breaks at spaces. A word that is too long for a line is cut where the line ends. */
export function wrapped(words: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ').flatMap((long) => pieces(long, most))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function pieces(word: string, most: number): string[] {
  return word.length <= most ? [word] : [word.slice(0, most), ...pieces(word.slice(most), most)];
}
