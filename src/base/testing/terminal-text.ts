// What tests look for in text for a terminal.

export const ownColour: RegExp = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** The terminal control characters of a text, without icecore's own colours and line breaks. */
export function steering(text: string): string[] {
  return (
    text
      .replaceAll(ownColour, '')
      .match(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu)
      ?.filter((one) => one !== '\n') ?? []
  );
}

export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
