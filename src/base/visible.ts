// Text from events, files and the command line may hold escape sequences. None of it reaches a terminal, or a text that a
// model reads, as it is: what steers is shown as an escape instead.

/** Also what cannot be seen; but not what joins letters and emoji, or keeps them apart. */
const steering = /(?![\u200c\u200d])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu;

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, with nothing in it that steers a terminal. */
export function visible(text: string): string {
  return text.replace(steering, escaped);
}

/** The same, with line breaks and tabs kept. */
export function visibleLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(steering, (character) => {
    if (character === '\n') return character;
    return character === '\t' ? '    ' : escaped(character);
  });
}

/** One character, as an escape. */
export function escaped(character: string): string {
  const known = named[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

// A text in Markdown that means itself, whatever marks are in it.

/** Underscores within words are only that, and brackets are marks where a link or a footnote could be; the others always. */
const marks = /[\\`*<>|~]|(?<!\w)_|_(?!\w)|\](?=[([:])|\[(?=\^)|&(?=[#\w]+;)/g;

export function literal(value: string): string {
  return visible(value.replace(marks, '\\$&'));
}
