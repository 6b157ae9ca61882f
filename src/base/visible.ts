// Text from events, files and the command line may contain escape sequences. Characters that control a terminal are written as
// escapes before they reach a terminal, or a text for a model.

/** Includes invisible characters, but not the joiners of letters and emoji. */
const steering = /(?![\u200c\u200d])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu;

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, with all terminal control characters escaped. */
export function visible(text: string): string {
  return text.replace(steering, escaped);
}

/** The same, but with line breaks and tabs. */
export function visibleLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(steering, (character) => {
    if (character === '\n') return character;
    return character === '\t' ? '    ' : escaped(character);
  });
}

/** The escape of a character. */
export function escaped(character: string): string {
  const known = named[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

// Escapes text for Markdown, so that it is shown literally.

/** Underscores within words are plain, and brackets need escaping only where a link or a footnote could be. */
const marks = /[\\`*<>|~]|(?<!\w)_|_(?!\w)|\](?=[([:])|\[(?=\^)|&(?=[#\w]+;)/g;

export function literal(value: string): string {
  return visible(value.replace(marks, '\\$&'));
}
