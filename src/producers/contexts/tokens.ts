// The length of a text in tokens of icecore's own tokenizer: the same number everywhere and for ever, whichever model
// reads it. It approximates the tokenizers of language models and tends to overestimate: they need fewer tokens for
// long common words, runs of signs and drawings. A context within its budget here also fits there.

/** The tokenizer's name and version: its counts never change. */
export const tokenizer = 'icecore-words/1';

const lettersPerToken = 5;
const digitsPerToken = 3;
/** A character beyond ASCII has several bytes and often several tokens. */
const tokensPerSign = 2;

/**
 * Five letters are a token, three digits, each other ASCII character, a run of spaces and a run of line breaks; a
 * character beyond ASCII is two. A single space belongs to what follows it.
 */
export function tokensIn(text: string): number {
  // Character by character, because contexts are counted repeatedly while they are truncated.
  let tokens = 0;
  for (let i = 0; i < text.length; ) {
    const kind = kindOf(text.charCodeAt(i));
    const from = i;
    i += 1;
    if (kind === sign) tokens += 1;
    else if (kind === beyond) {
      if ((text.codePointAt(from) ?? 0) > 0xffff) i += 1;
      if (!blanks.has(text.charCodeAt(from))) tokens += tokensPerSign;
    } else {
      while (i < text.length && kindOf(text.charCodeAt(i)) === kind) i += 1;
      tokens += tokensOf(kind, i - from);
    }
  }
  return tokens;
}

const [letter, digit, lineBreak, space, blank, sign, beyond] = [0, 1, 2, 3, 4, 5, 6];

function tokensOf(kind: number, length: number): number {
  switch (kind) {
    case letter:
      return Math.ceil(length / lettersPerToken);
    case digit:
      return Math.ceil(length / digitsPerToken);
    case lineBreak:
      return 1;
    case space:
      return length > 1 ? 1 : 0;
    default:
      return 0;
  }
}

/** Beyond ASCII. */
const blanks: ReadonlySet<number> = new Set(
  Array.from(
    '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
    (blank) => blank.charCodeAt(0),
  ),
);

/** For each ASCII character. */
const kinds: Uint8Array = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return letter;
  if (/[0-9]/.test(character)) return digit;
  if (character === '\n') return lineBreak;
  if (character === ' ') return space;
  return /\s/.test(character) ? blank : sign;
});

function kindOf(code: number): number {
  return kinds[code] ?? beyond;
}
