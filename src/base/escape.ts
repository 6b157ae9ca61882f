// Text from events, files and the command line may contain escape sequences. Characters that control a terminal are written as
// escapes before they reach a terminal, or a text for a model.

/** Includes invisible characters, but not the joiners of letters and emoji. */
const controls = /(?![\u200c\u200d])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu;

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, with all terminal control characters escaped. */
export function escapeControls(text: string): string {
  return text.replace(controls, escapeCharacter);
}

/** The same, but with line breaks and tabs. */
export function escapeControlsInLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(controls, (character) => {
    if (character === '\n') return character;
    return character === '\t' ? '    ' : escapeCharacter(character);
  });
}

/** The escape of a character. */
export function escapeCharacter(character: string): string {
  const short = named[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

// Escapes text for Markdown, so that it is shown literally.

/** Underscores within words are plain, and brackets need escaping only where a link or a footnote could be. */
const marks = /[\\`*<>|~]|(?<!\w)_|_(?!\w)|\](?=[([:])|\[(?=\^)|&(?=[#\w]+;)/g;

export function escapeMarkdown(value: string): string {
  return escapeControls(value.replace(marks, '\\$&'));
}
