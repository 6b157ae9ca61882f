// How long a text is, in tokens of a tokenizer of icecore's own: the same number everywhere and for ever, whichever model
// reads it. It counts pieces as tokenizers of language models do, and rather too many: a long word of a common language,
// a run of signs and a drawing take such a model fewer. A budget that is kept here is kept there, with room to spare.

/** The name of the tokenizer, with its version: what it counts never changes. */
export const tokenizer = 'icecore-words/1';

const pieces = /[A-Za-z]+|[0-9]+|\n+| {2,}|\S/gu;

const lettersPerToken = 5;
const digitsPerToken = 3;
/** A sign beyond ASCII is several bytes, and often several tokens. */
const tokensPerSign = 2;

/**
 * Five letters are a token, three digits, each other sign of ASCII, a run of spaces and one of line breaks; a sign beyond
 * ASCII is two. A single space belongs to what comes after it.
 */
export function tokensIn(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += tokensOf(piece);
  return tokens;
}

function tokensOf(piece: string): number {
  if (/^[A-Za-z]/.test(piece)) return Math.ceil(piece.length / lettersPerToken);
  if (/^[0-9]/.test(piece)) return Math.ceil(piece.length / digitsPerToken);
  return piece.charCodeAt(0) < 0x80 ? 1 : tokensPerSign;
}
