// Text from events, files and the command line may hold escape sequences. None of it reaches a terminal, or a text that a
// model reads, as it is: what steers is shown as an escape instead.

const steering = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

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

function escaped(character: string): string {
  const known = named[character];
  if (known !== undefined) return known;
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
